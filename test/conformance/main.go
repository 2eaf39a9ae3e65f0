// Runs the Gateway API's conformance suite against a control plane of the platform, and prints a line of JSON
// for each of its tests.
//
// The platform has no Services and no Pods. What stands between is the client's transport: it keeps the kinds
// that the platform does not serve in memory, gives the platform an EndpointSlice for each Service, and writes
// references to Services as references to those. Tests, manifests and assertions are the suite's own.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/go-logr/logr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/gateway-api/apis/v1alpha2"
	"sigs.k8s.io/gateway-api/apis/v1alpha3"
	"sigs.k8s.io/gateway-api/apis/v1beta1"
	"sigs.k8s.io/gateway-api/conformance"
	"sigs.k8s.io/gateway-api/conformance/tests"
	"sigs.k8s.io/gateway-api/conformance/utils/config"
	"sigs.k8s.io/gateway-api/conformance/utils/roundtripper"
	"sigs.k8s.io/gateway-api/conformance/utils/suite"
	"sigs.k8s.io/gateway-api/pkg/features"
)

// settings are those of one run: the file that is the program's first argument.
type settings struct {
	Kubeconfig   string                 `json:"kubeconfig"`
	GatewayClass string                 `json:"gatewayClass"`
	HTTP         string                 `json:"http"`
	HTTPS        string                 `json:"https"`
	Echo         string                 `json:"echo"`
	Ports        []int                  `json:"ports"`
	Features     []features.FeatureName `json:"features"`
	// Only runs these; all tests of the profile if it is empty.
	Only []string `json:"only"`
	// Of so many parts of the tests this is one, counted from 0. The first also has the tests that need a
	// missing feature.
	Parts int `json:"parts"`
	Part  int `json:"part"`
	// Tests that are expected to fail: they wait no longer than they must.
	Failing []string `json:"failing"`
	// All are.
	Hasty bool `json:"hasty"`
}

var given settings

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &given)
	}
	if err != nil {
		panic(err)
	}
	log.SetLogger(logr.Discard())
	os.Args = []string{os.Args[0], "-test.v", "-test.timeout=15m"}
	matchAll := func(string, string) (bool, error) { return true, nil }
	testing.Main(matchAll, []testing.InternalTest{{Name: "Conformance", F: run}}, nil, nil)
}

func run(t *testing.T) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	restConfig, err := clientcmd.BuildConfigFromFlags("", given.Kubeconfig)
	must(err)
	restConfig.ContentType, restConfig.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	restConfig.QPS, restConfig.Burst = 200, 400
	server, err := url.Parse(restConfig.Host)
	must(err)
	plane := &plane{base: server.Path, objects: map[string]object{}}
	t.Cleanup(plane.stop)
	restConfig.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return wrapped(func(request *http.Request) (*http.Response, error) { return plane.serve(next, request) })
	})
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientscheme.AddToScheme, gatewayv1.Install, v1beta1.Install, v1alpha2.Install, v1alpha3.Install,
		apiextensionsv1.AddToScheme,
	} {
		must(add(scheme))
	}
	options := client.Options{Scheme: scheme, Mapper: mapperOf(scheme)}
	kube, err := client.New(restConfig, options)
	must(err)
	clientset, err := kubernetes.NewForConfig(restConfig)
	must(err)

	patient := config.DefaultTimeoutConfig()
	patient.DeleteTimeout = 30 * time.Second
	cSuite, err := suite.NewConformanceTestSuite(suite.ConformanceOptions{
		ConfigurableOptions: suite.ConfigurableOptions{
			GatewayClassName:     given.GatewayClass,
			CleanupTestResources: true,
			SupportedFeatures:    given.Features,
			TimeoutConfig:        patient,
			DisableParallelTests: true,
			AllowCRDsMismatch:    true,
			ConformanceProfiles:  []suite.ConformanceProfileName{suite.GatewayHTTPConformanceProfileName},
		},
		Client:          kube,
		ClientOptions:   options,
		Clientset:       clientset,
		RestConfig:      restConfig,
		RoundTripper:    atGateway{&roundtripper.DefaultRoundTripper{TimeoutConfig: patient}},
		WebSocketDialer: atGateway{},
		ManifestFS:      []fs.FS{&conformance.Manifests},
	})
	must(err)
	cSuite.Setup(t, tests.ConformanceTests)
	profile := suite.GatewayHTTPConformanceProfile
	ofProfile := profile.CoreFeatures.Union(profile.ExtendedFeatures)
	counted := 0
	for _, test := range tests.ConformanceTests {
		isWanted := len(given.Only) == 0 || slices.Contains(given.Only, test.ShortName)
		if !isWanted || !ofProfile.HasAll(test.Features...) {
			continue
		}
		part := 0
		if cSuite.SupportedFeatures.HasAll(test.Features...) {
			part = counted % given.Parts
			counted++
		}
		if part != given.Part {
			continue
		}
		cSuite.TimeoutConfig = patient
		if given.Hasty || slices.Contains(given.Failing, test.ShortName) {
			cSuite.TimeoutConfig = hasty()
		}
		result := "passed"
		start := time.Now()
		cSuite.Hook = func(t *testing.T, _ suite.ConformanceTest, _ *suite.ConformanceTestSuite) {
			if t.Failed() {
				result = "failed"
			} else if t.Skipped() {
				result = "unsupported"
			}
		}
		// A suite takes its next run when the test of the last one has ended.
		t.Run("one", func(t *testing.T) {
			if err := cSuite.Run(t, []suite.ConformanceTest{test}); err != nil {
				t.Error(err)
			}
		})
		line, _ := json.Marshal(map[string]any{
			"test": test.ShortName, "result": result, "seconds": time.Since(start).Seconds(),
			"missing": sets.List(sets.New(test.Features...).Difference(cSuite.SupportedFeatures)),
		})
		fmt.Printf("\nresult %s\n", line)
	}
}

// hasty are timeouts for tests that fail: enough for a change of the platform, which takes up to two seconds.
func hasty() config.TimeoutConfig {
	limits := config.DefaultTimeoutConfig()
	limits.DeleteTimeout = 30 * time.Second
	for _, each := range []*time.Duration{
		&limits.GatewayMustHaveAddress, &limits.GatewayMustHaveCondition, &limits.GatewayStatusMustHaveListeners,
		&limits.GatewayListenersMustHaveConditions, &limits.GWCMustBeAccepted, &limits.HTTPRouteMustNotHaveParents,
		&limits.HTTPRouteMustHaveCondition, &limits.RouteMustHaveParents, &limits.MaxTimeToConsistency,
		&limits.NamespacesMustBeReady, &limits.LatestObservedGenerationSet, &limits.DefaultTestTimeout,
	} {
		*each = 5 * time.Second
	}
	return limits
}

// mapperOf knows the paths of all kinds, so that nothing is asked for them.
func mapperOf(scheme *runtime.Scheme) meta.RESTMapper {
	global := sets.New("Namespace", "Node", "GatewayClass", "CustomResourceDefinition")
	mapper := meta.NewDefaultRESTMapper(scheme.PrioritizedVersionsAllGroups())
	for kind := range scheme.AllKnownTypes() {
		scope := meta.RESTScopeNamespace
		if global.Has(kind.Kind) {
			scope = meta.RESTScopeRoot
		}
		mapper.Add(kind, scope)
		// Its plural is guessed wrong.
		if kind.Kind == "Gateway" {
			singular := kind.GroupVersion().WithResource("gateway")
			mapper.AddSpecific(kind, kind.GroupVersion().WithResource("gateways"), singular, scope)
		}
	}
	return mapper
}

// atGateway connects to HAProxy, whatever address a Gateway has.
type atGateway struct {
	*roundtripper.DefaultRoundTripper
}

func (g atGateway) CaptureRoundTrip(
	request roundtripper.Request,
) (*roundtripper.CapturedRequest, *roundtripper.CapturedResponse, error) {
	if request.Host == "" {
		request.Host = request.URL.Host
	}
	request.URL.Host = listenAddress(request.URL.Port(), request.URL.Scheme)
	return g.DefaultRoundTripper.CaptureRoundTrip(request)
}

func (atGateway) Dial(address, protocol, origin string) (*websocket.Conn, error) {
	wanted, err := websocket.NewConfig(address, origin)
	if err != nil {
		return nil, err
	}
	if protocol != "" {
		wanted.Protocol = []string{protocol}
	}
	conn, err := net.Dial("tcp", listenAddress(wanted.Location.Port(), "http"))
	if err != nil {
		return nil, err
	}
	return websocket.NewClient(wanted, conn)
}

// listenAddress is where HAProxy listens for a port of Gateways.
func listenAddress(port, scheme string) string {
	if port == "443" || port == "" && scheme == "https" {
		return given.HTTPS
	}
	if port == "80" || port == "" {
		return given.HTTP
	}
	// Gateways have no other port.
	return "127.0.0.1:1"
}

type wrapped func(*http.Request) (*http.Response, error)

func (w wrapped) RoundTrip(request *http.Request) (*http.Response, error) { return w(request) }

type object = map[string]any

// plane is the control plane as the suite sees it.
type plane struct {
	base    string
	lock    sync.Mutex
	objects map[string]object
	version int
	echoes  []*echo
}

// served are the resources that the platform has.
var served = regexp.MustCompile(`^(/api/v1(/namespaces/[^/]+)?/(secrets|configmaps|events)|` +
	`/api/v1/namespaces|/apis/discovery\.k8s\.io/v1/namespaces/[^/]+/endpointslices|` +
	`/apis/gateway\.networking\.k8s\.io/v1(beta1)?(/namespaces/[^/]+)?/` +
	`(gatewayclasses|gateways|httproutes|referencegrants))(/[^/]+)*$`)

// notServed are resources in namespaces, which the platform has, too.
var notServed = regexp.MustCompile(`^/api/v1/namespaces/[^/]+/(services|pods)`)

var collection = regexp.MustCompile(`^/(api/v1|apis/[^/]+/[^/]+)(/namespaces/[^/]+)?/[^/]+$`)

func (p *plane) serve(next http.RoundTripper, request *http.Request) (*http.Response, error) {
	path := strings.TrimPrefix(request.URL.Path, p.base)
	var body []byte
	if request.Body != nil {
		var err error
		body, err = io.ReadAll(request.Body)
		request.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	if notServed.MatchString(path) || !served.MatchString(path) {
		if slice := p.sliceOf(request.Method, path, body); slice != nil {
			if err := p.create(next, request, slice); err != nil {
				return nil, err
			}
		}
		return p.fromMemory(request, path, body), nil
	}
	translate := func(content []byte, work func(namespace string, value any)) []byte {
		var value any
		if json.Unmarshal(content, &value) != nil {
			return content
		}
		work(namespaceOf(path), value)
		text, _ := json.Marshal(value)
		return text
	}
	hasReferences := strings.Contains(path, "/httproutes") || strings.Contains(path, "/referencegrants")
	if body != nil {
		if hasReferences {
			body = translate(body, p.toSlices)
		}
		request = request.Clone(request.Context())
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		request.GetBody = nil
	}
	response, err := next.RoundTrip(request)
	if err != nil || !hasReferences {
		return response, err
	}
	content, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	content = translate(content, p.toServices)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
	response.Header.Del("Content-Length")
	return response, nil
}

func namespaceOf(path string) string {
	_, rest, _ := strings.Cut(path, "/namespaces/")
	namespace, _, _ := strings.Cut(rest, "/")
	return namespace
}

const sliceGroup, sliceKind = "discovery.k8s.io", "EndpointSlice"

// toSlices writes references to Services as such to EndpointSlices.
func (p *plane) toSlices(namespace string, value any) {
	references(namespace, value, func(namespace string, reference object) {
		if text(reference["group"], "") != "" || text(reference["kind"], "Service") != "Service" {
			return
		}
		reference["group"], reference["kind"] = sliceGroup, sliceKind
		if port, has := reference["port"].(float64); has {
			reference["port"] = p.portOf(namespace, text(reference["name"], ""), int(port))
		}
	})
}

// toServices is the reverse of toSlices, with the fields that a Kubernetes API server would have filled in.
func (p *plane) toServices(namespace string, value any) {
	references(namespace, value, func(namespace string, reference object) {
		if reference["group"] != sliceGroup || reference["kind"] != sliceKind {
			return
		}
		reference["group"], reference["kind"] = "", "Service"
		if port, has := reference["port"].(float64); has {
			reference["port"] = p.servicePort(int(port))
		}
	})
}

// references calls work for each reference to a backend, and each kind that a ReferenceGrant permits.
func references(namespace string, value any, work func(string, object)) {
	switch value := value.(type) {
	case []any:
		for _, each := range value {
			references(namespace, each, work)
		}
	case object:
		if metadata, is := value["metadata"].(object); is {
			namespace = text(metadata["namespace"], namespace)
		}
		for key, each := range value {
			list, isList := each.([]any)
			if reference, is := each.(object); is && key == "backendRef" {
				list, isList = []any{reference}, true
			}
			if isList && (key == "backendRefs" || key == "backendRef" || key == "to") {
				for _, one := range list {
					if reference, is := one.(object); is {
						work(text(reference["namespace"], namespace), reference)
					}
				}
			}
			references(namespace, each, work)
		}
	}
}

func text(value any, absent string) string {
	if text, is := value.(string); is {
		return text
	}
	return absent
}

// echo is the suite's backend, of which there is one for each of its Services. It listens on free ports, since
// those of Services would be the same for all.
type echo struct {
	namespace, name string
	port, h2cPort   int
	process         *exec.Cmd
	open            io.Closer
	lock            sync.Mutex
	lines           []line
}

type line struct {
	at   time.Time
	text string
}

var backends = sets.New(
	"gateway-conformance-infra/infra-backend-v1", "gateway-conformance-infra/infra-backend-v2",
	"gateway-conformance-infra/infra-backend-v3", "gateway-conformance-app-backend/app-backend-v1",
	"gateway-conformance-app-backend/app-backend-v2", "gateway-conformance-web-backend/web-backend",
)

// sliceOf starts the backend of a Service that is created. @returns its EndpointSlice
func (p *plane) sliceOf(method, path string, body []byte) object {
	namespace := namespaceOf(path)
	var service struct{ Metadata struct{ Name string } }
	isNew := method == http.MethodPost && strings.HasSuffix(path, "/services")
	if !isNew || json.Unmarshal(body, &service) != nil || !backends.Has(namespace+"/"+service.Metadata.Name) {
		return nil
	}
	started := &echo{namespace: namespace, name: service.Metadata.Name, port: takePort(), h2cPort: takePort()}
	// Its end does not depend on how this program ends.
	started.process = exec.Command("sh", "-c", `"$0" & read -r _; kill $!`, given.Echo)
	started.process.Env = []string{
		"POD_NAME=" + started.pod(), "NAMESPACE=" + namespace, "SERVICE_NAME=" + started.name,
		"HTTP_PORT=" + strconv.Itoa(started.port), "H2C_PORT=" + strconv.Itoa(started.h2cPort),
	}
	output, err := started.process.StdoutPipe()
	if err == nil {
		started.open, err = started.process.StdinPipe()
	}
	if err == nil {
		err = started.process.Start()
	}
	if err != nil {
		panic(err)
	}
	go started.read(output)
	p.lock.Lock()
	p.echoes = append(p.echoes, started)
	p.lock.Unlock()
	return object{
		"apiVersion": sliceGroup + "/v1", "kind": sliceKind,
		"metadata":    object{"name": started.name, "namespace": namespace},
		"addressType": "IPv4",
		"endpoints":   []any{object{"addresses": []any{"127.0.0.1"}}},
		"ports": []any{
			object{"name": "http", "port": started.port}, object{"name": "h2c", "port": started.h2cPort},
		},
	}
}

// takePort is a free port: each is given for one use.
func takePort() int {
	port := given.Ports[0]
	given.Ports = given.Ports[1:]
	return port
}

// pod is named as those of Deployments are: the suite drops the last two parts.
func (e *echo) pod() string { return e.name + "-echo-0" }

func (e *echo) read(output io.Reader) {
	for scanner := bufio.NewScanner(output); scanner.Scan(); {
		e.lock.Lock()
		e.lines = append(e.lines, line{time.Now(), scanner.Text()})
		e.lock.Unlock()
	}
}

// since are the lines of its log, as the API server's logs of Pods have them.
func (e *echo) since(moment string) string {
	from, _ := time.Parse(time.RFC3339, moment)
	e.lock.Lock()
	defer e.lock.Unlock()
	var written strings.Builder
	for _, each := range e.lines {
		if !each.at.Before(from) {
			written.WriteString(each.text + "\n")
		}
	}
	return written.String()
}

func (p *plane) portOf(namespace, service string, port int) int {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, each := range p.echoes {
		if each.namespace == namespace && each.name == service {
			switch port {
			case 8080, 8082:
				return each.port
			case 8081:
				return each.h2cPort
			}
		}
	}
	return port
}

func (p *plane) servicePort(port int) int {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, each := range p.echoes {
		switch port {
		case each.port:
			return 8080
		case each.h2cPort:
			return 8081
		}
	}
	return port
}

func (p *plane) stop() {
	for _, each := range p.echoes {
		_ = each.open.Close()
		_ = each.process.Wait()
	}
}

// create writes an object to the platform with the credentials of a request.
func (p *plane) create(next http.RoundTripper, like *http.Request, created object) error {
	namespace := created["metadata"].(object)["namespace"].(string)
	content, _ := json.Marshal(created)
	request := like.Clone(like.Context())
	request.URL.Path = p.base + "/apis/discovery.k8s.io/v1/namespaces/" + namespace + "/endpointslices"
	request.URL.RawQuery = ""
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
	request.GetBody = nil
	response, err := next.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusCreated {
		return fmt.Errorf("creating an EndpointSlice: %s: %s", response.Status, answer)
	}
	return nil
}

// fromMemory answers for kinds that the platform does not serve.
func (p *plane) fromMemory(request *http.Request, path string, body []byte) *http.Response {
	if strings.HasSuffix(path, "/log") {
		for _, each := range p.echoes {
			if strings.HasSuffix(path, "/namespaces/"+each.namespace+"/pods/"+each.pod()+"/log") {
				return answer(request, http.StatusOK, []byte(each.since(request.URL.Query().Get("sinceTime"))))
			}
		}
	}
	if request.Method == http.MethodGet && strings.HasSuffix(path, "/pods") {
		return p.pods(request, namespaceOf(path))
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	var sent object
	_ = json.Unmarshal(body, &sent)
	metadata, _ := sent["metadata"].(object)
	key := path
	if request.Method == http.MethodPost {
		key += "/" + text(metadata["name"], "")
	}
	held := p.objects[key]
	switch {
	case request.Method == http.MethodGet && collection.MatchString(path):
		items := []any{}
		for name, each := range p.objects {
			if strings.HasPrefix(name, path+"/") {
				items = append(items, each)
			}
		}
		return answerObject(request, http.StatusOK, object{"kind": "List", "apiVersion": "v1", "items": items})
	case request.Method == http.MethodPost && held != nil:
		return refusal(request, http.StatusConflict, "AlreadyExists")
	case request.Method != http.MethodPost && held == nil:
		return refusal(request, http.StatusNotFound, "NotFound")
	case request.Method == http.MethodPost || request.Method == http.MethodPut:
		p.version++
		metadata["resourceVersion"] = strconv.Itoa(p.version)
		metadata["uid"] = key
		p.objects[key] = sent
		if request.Method == http.MethodPost {
			return answerObject(request, http.StatusCreated, sent)
		}
		return answerObject(request, http.StatusOK, sent)
	case request.Method == http.MethodDelete:
		delete(p.objects, key)
	case request.Method != http.MethodGet:
		return refusal(request, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
	return answerObject(request, http.StatusOK, held)
}

// pods are those of the backends, one for each.
func (p *plane) pods(request *http.Request, namespace string) *http.Response {
	selector, err := labels.Parse(request.URL.Query().Get("labelSelector"))
	if err != nil {
		return refusal(request, http.StatusBadRequest, "BadRequest")
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	items := []any{}
	for _, each := range p.echoes {
		own := map[string]string{"app": each.name}
		if each.namespace != namespace || !selector.Matches(labels.Set(own)) {
			continue
		}
		items = append(items, object{
			"metadata": object{"name": each.pod(), "namespace": namespace, "labels": own},
			"status": object{
				"phase": "Running", "podIP": "127.0.0.1",
				"conditions": []any{object{"type": "Ready", "status": "True"}},
			},
		})
	}
	return answerObject(request, http.StatusOK, object{"kind": "PodList", "apiVersion": "v1", "items": items})
}

func refusal(request *http.Request, code int, reason string) *http.Response {
	return answerObject(request, code, object{
		"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason,
		"message": reason + ": " + request.Method + " " + request.URL.Path,
	})
}

func answerObject(request *http.Request, code int, content object) *http.Response {
	written, _ := json.Marshal(content)
	return answer(request, code, written)
}

func answer(request *http.Request, code int, content []byte) *http.Response {
	return &http.Response{
		Status: http.StatusText(code), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(content)),
		ContentLength: int64(len(content)), Request: request,
	}
}
