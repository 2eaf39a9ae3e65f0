package main

import (
	"context"
	"fmt"
	"os"
	"time"

	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

func must(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}

func until(what string, done func() bool) {
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if done() {
			fmt.Println(what)
			return
		}
	}
	must(what, fmt.Errorf("timed out"))
}

// A typed client, which sends protobuf, does what a controller does with built-in kinds: for test/fidelity/go-client/run.ts.
//
//	go-client KUBECONFIG
func main() {
	ctx := context.Background()
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must("kubeconfig", err)
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	must("client", err)

	configMap, err := client.CoreV1().ConfigMaps("default").Create(ctx, &core.ConfigMap{
		ObjectMeta: meta.ObjectMeta{Name: "go"}, Data: map[string]string{"key": ""}, BinaryData: map[string][]byte{"bytes": {0, 1}},
	}, meta.CreateOptions{})
	must("create ConfigMap", err)
	ready, name, port := true, "http", int32(8080)
	slice := &discovery.EndpointSlice{
		ObjectMeta: meta.ObjectMeta{Name: "go"}, AddressType: discovery.AddressTypeIPv4,
		Endpoints: []discovery.Endpoint{{Addresses: []string{"10.0.0.1"}, Conditions: discovery.EndpointConditions{Ready: &ready}}},
		Ports:     []discovery.EndpointPort{{Name: &name, Port: &port}},
	}
	slices := client.DiscoveryV1().EndpointSlices("default")
	created, err := slices.Create(ctx, slice, meta.CreateOptions{})
	must("create EndpointSlice", err)
	created.Endpoints = nil
	emptied, err := slices.Update(ctx, created, meta.UpdateOptions{})
	must("update EndpointSlice", err)
	if len(emptied.Endpoints) != 0 {
		must("update EndpointSlice", fmt.Errorf("it has %v", emptied.Endpoints))
	}
	must("delete EndpointSlice", slices.Delete(ctx, "go", meta.DeleteOptions{}))
	fmt.Println("objects are created, updated and deleted")

	legacy := record.NewBroadcaster()
	legacy.StartRecordingToSink(&corev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	recorder := legacy.NewRecorder(scheme.Scheme, core.EventSource{Component: "legacy"})
	for range 3 {
		recorder.Event(configMap, core.EventTypeNormal, "Legacy", "It is recorded.")
	}
	until("an event of core/v1 is counted", func() bool {
		list, err := client.CoreV1().Events("default").List(ctx, meta.ListOptions{FieldSelector: "source=legacy"})
		return err == nil && len(list.Items) == 1 && list.Items[0].Count == 3
	})
	newer := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	must("recorder", newer.StartRecordingToSinkWithContext(ctx))
	for range 2 {
		newer.NewRecorder(scheme.Scheme, "example.com/newer").Eventf(configMap, nil, core.EventTypeWarning, "Newer", "Record", "It is recorded.")
	}
	until("an event of events.k8s.io/v1 is a series, and the same in core/v1", func() bool {
		here, err := client.EventsV1().Events("default").List(ctx, meta.ListOptions{FieldSelector: "reportingController=example.com/newer"})
		must("list", err)
		there, err := client.CoreV1().Events("default").List(ctx, meta.ListOptions{FieldSelector: "reportingComponent=example.com/newer"})
		must("list", err)
		if len(here.Items) != 1 || len(there.Items) != 1 || here.Items[0].Series == nil {
			return false
		}
		a, b := here.Items[0], there.Items[0]
		return a.UID == b.UID && a.Note == b.Message && equality.Semantic.DeepEqual(a.Regarding, b.InvolvedObject) && a.Series.Count == b.Series.Count
	})

	first, leave := context.WithCancel(ctx)
	leaders := make(chan string, 2)
	go elect(first, config, "first", leaders)
	fmt.Println("the leader is", <-leaders)
	go elect(ctx, config, "second", leaders)
	time.Sleep(2 * time.Second)
	if len(leaders) > 0 {
		must("election", fmt.Errorf("two leaders"))
	}
	leave()
	fmt.Println("the leader is", <-leaders)
}

func elect(ctx context.Context, config *rest.Config, id string, leaders chan string) {
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, "default", "go", resourcelock.ResourceLockConfig{Identity: id}, config, 10*time.Second)
	must("lock", err)
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, ReleaseOnCancel: true, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 500 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { leaders <- id }, OnStoppedLeading: func() {}},
	})
}
