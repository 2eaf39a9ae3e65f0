// Applies Prometheus' own relabelling to cases from standard input, a JSON document a line.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"
	"go.yaml.in/yaml/v2"
)

type testCase struct {
	// As YAML of a configuration: absent fields get Prometheus' defaults.
	Rules  []json.RawMessage `json:"rules"`
	Labels [][2]string       `json:"labels"`
}

type result struct {
	// Of the first rule that is invalid.
	Fault  string      `json:"fault,omitempty"`
	Kept   bool        `json:"kept"`
	Labels [][2]string `json:"labels"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var one testCase
		if err := json.Unmarshal(in.Bytes(), &one); err != nil {
			panic(err)
		}
		if err := out.Encode(run(one)); err != nil {
			panic(err)
		}
	}
}

func run(one testCase) result {
	configs := []*relabel.Config{}
	for _, rule := range one.Rules {
		config := relabel.Config{}
		if err := yaml.Unmarshal(rule, &config); err != nil {
			return result{Fault: err.Error()}
		}
		if err := config.Validate(model.UTF8Validation); err != nil {
			return result{Fault: err.Error()}
		}
		configs = append(configs, &config)
	}
	list := []labels.Label{}
	for _, pair := range one.Labels {
		list = append(list, labels.Label{Name: pair[0], Value: pair[1]})
	}
	builder := labels.NewBuilder(labels.New(list...))
	if !relabel.ProcessBuilder(builder, configs...) {
		return result{}
	}
	found := [][2]string{}
	builder.Labels().Range(func(label labels.Label) {
		found = append(found, [2]string{label.Name, label.Value})
	})
	return result{Kept: true, Labels: found}
}
