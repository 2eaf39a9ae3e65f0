// Go's client at work, as client.py describes it: `program KUBECONFIG OBJECTS`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	core "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
)

const limit = 60 * time.Second

type item struct {
	Plural     string         `json:"plural"`
	Namespaced bool           `json:"namespaced"`
	Manifest   map[string]any `json:"manifest"`
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	text, err := os.ReadFile(os.Args[2])
	check(err)
	var items []item
	check(json.Unmarshal(text, &items))
	client, err := dynamic.NewForConfig(config)
	check(err)
	for _, each := range items {
		if err := work(client, each); err != nil {
			failed(each.Plural, err)
		}
	}
	typed, err := core.NewForConfig(withProtobuf(config))
	check(err)
	if err := workTyped(typed); err != nil {
		failed("configmaps as protobuf", err)
	}
	fmt.Println("done")
	for ; ; time.Sleep(500 * time.Millisecond) {
		if _, err := typed.Namespaces().Get(context.Background(), "default", metav1.GetOptions{}); err != nil {
			fmt.Println("refused")
		} else {
			fmt.Println("ok")
		}
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func failed(what string, err error) {
	fmt.Printf("failed %s: %s\n", what, strings.ReplaceAll(err.Error(), "\n", " "))
}

// As controller-runtime does for the kinds that it knows.
func withProtobuf(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return config
}

func work(client dynamic.Interface, each item) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	object := &unstructured.Unstructured{Object: each.Manifest}
	name := object.GetName()
	resources := client.Resource(object.GroupVersionKind().GroupVersion().WithResource(each.Plural))
	api := dynamic.ResourceInterface(resources)
	if each.Namespaced {
		api = resources.Namespace("default")
	}
	events, err := api.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return err
	}
	defer events.Stop()
	if _, err = api.Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err = sees(events, watch.Added); err != nil {
		return err
	}
	patch := []byte(`{"metadata":{"labels":{"updated":"yes"}}}`)
	if _, err = api.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	if err = sees(events, watch.Modified); err != nil {
		return err
	}
	object.SetLabels(map[string]string{"replaced": "yes"})
	// A controller may write the object between the reading and the writing.
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		read, err := api.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.SetResourceVersion(read.GetResourceVersion())
		read, err = api.Update(ctx, object, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		if labels := read.GetLabels(); labels["replaced"] != "yes" || labels["updated"] != "" {
			return fmt.Errorf("it is not replaced: %v", labels)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err = api.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return sees(events, watch.Deleted)
}

func sees(events watch.Interface, wanted watch.EventType) error {
	timeout := time.After(limit)
	for {
		select {
		case event, open := <-events.ResultChan():
			if !open || event.Type == watch.Error {
				return fmt.Errorf("the watch ended: %v", event.Object)
			}
			if event.Type == wanted {
				return nil
			}
		case <-timeout:
			return fmt.Errorf("the watch shows no %s", wanted)
		}
	}
}

func workTyped(client core.CoreV1Interface) error {
	ctx := context.Background()
	maps := client.ConfigMaps("default")
	named := &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-"}}
	made, err := maps.Create(ctx, named, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Data = map[string]string{"key": "value"}
	if made, err = maps.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return maps.Delete(ctx, made.Name, metav1.DeleteOptions{})
}
