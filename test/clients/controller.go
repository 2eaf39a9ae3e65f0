// A controller as controller-runtime makes them, beside what client.py describes: `program KUBECONFIG OBJECTS`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const (
	limit     = 60 * time.Second
	finalizer = "example.com/controller"
	label     = "example.com/controlled"
)

type item struct {
	Plural     string         `json:"plural"`
	Namespaced bool           `json:"namespaced"`
	Manifest   map[string]any `json:"manifest"`
}

// Keeps a Secret with the data of each ConfigMap that has the label.
type reconciler struct {
	client.Client
	recorder events.EventRecorder
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	found := &core.ConfigMap{}
	if err := r.Get(ctx, request.NamespacedName, found); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	secret := &core.Secret{ObjectMeta: meta.ObjectMeta{Name: found.Name, Namespace: found.Namespace}}
	if !found.DeletionTimestamp.IsZero() {
		if err := client.IgnoreNotFound(r.Delete(ctx, secret)); err != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(found, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(r.Update(ctx, found))
	}
	before := found.DeepCopy()
	if controllerutil.AddFinalizer(found, finalizer) {
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := r.Patch(ctx, found, patch); err != nil {
			return ctrl.Result{}, err
		}
	}
	result, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		secret.StringData = found.Data
		return controllerutil.SetControllerReference(found, secret, r.Scheme())
	})
	if err == nil && result == controllerutil.OperationResultCreated {
		r.recorder.Eventf(found, secret, core.EventTypeNormal, "Created", "Create", "secret %s created", secret.Name)
	}
	return ctrl.Result{}, err
}

func main() {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	text, err := os.ReadFile(os.Args[2])
	check(err)
	var items []item
	check(json.Unmarshal(text, &items))
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                       server.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              "controller.example.com",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
	})
	check(err)
	recorder := manager.GetEventRecorder("controller")
	hasLabel := predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetLabels()[label] != "" })
	check(ctrl.NewControllerManagedBy(manager).
		For(&core.ConfigMap{}, builder.WithPredicates(hasLabel)).
		Owns(&core.Secret{}).
		Complete(&reconciler{manager.GetClient(), recorder}))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	<-manager.Elected()
	if err := control(manager); err != nil {
		failed("a controller", err)
	}
	for _, each := range items {
		if err := work(manager.GetClient(), each); err != nil {
			failed(each.Plural, err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		failed("the manager", err)
	}
	fmt.Println("done")
	for ; ; time.Sleep(500 * time.Millisecond) {
		key := client.ObjectKey{Name: "default"}
		if err := manager.GetAPIReader().Get(context.Background(), key, &core.Namespace{}); err != nil {
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

// What the reconciler does for one ConfigMap, up to its end.
func control(manager ctrl.Manager) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	api := manager.GetClient()
	own := &core.ConfigMap{
		ObjectMeta: meta.ObjectMeta{Name: "controlled", Namespace: "default", Labels: map[string]string{label: "yes"}},
		Data:       map[string]string{"key": "one"},
	}
	key := client.ObjectKeyFromObject(own)
	if err := api.Create(ctx, own); err != nil {
		return err
	}
	secret := &core.Secret{}
	has := func(value string) func() error {
		return func() error {
			if err := api.Get(ctx, key, secret); err != nil {
				return err
			}
			if string(secret.Data["key"]) != value || !meta.IsControlledBy(secret, own) {
				return fmt.Errorf("the secret has %v of %v", secret.Data, secret.OwnerReferences)
			}
			return nil
		}
	}
	if err := eventually(has("one")); err != nil {
		return err
	}
	if err := eventually(func() error {
		list := &eventsv1.EventList{}
		if err := manager.GetAPIReader().List(ctx, list, client.InNamespace("default")); err != nil {
			return err
		}
		for _, event := range list.Items {
			if event.Regarding.Name == own.Name && event.Reason == "Created" && event.Related.Kind == "Secret" {
				return nil
			}
		}
		return fmt.Errorf("no event of %d is the controller's", len(list.Items))
	}); err != nil {
		return err
	}
	// A Secret that somebody deletes is made again, since the controller owns it.
	uid := secret.UID
	if err := api.Delete(ctx, secret.DeepCopy()); err != nil {
		return err
	}
	if err := eventually(func() error {
		if err := has("one")(); err != nil || secret.UID != uid {
			return err
		}
		return fmt.Errorf("the secret is the one that was deleted")
	}); err != nil {
		return err
	}
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := api.Get(ctx, key, own); err != nil {
			return err
		}
		own.Data["key"] = "two"
		return api.Update(ctx, own)
	}); err != nil {
		return err
	}
	if err := eventually(has("two")); err != nil {
		return err
	}
	if err := api.Delete(ctx, own); err != nil {
		return err
	}
	return eventually(func() error {
		for _, object := range []client.Object{&core.ConfigMap{}, &core.Secret{}} {
			if err := api.Get(ctx, key, object); !errors.IsNotFound(err) {
				return fmt.Errorf("%T is still there: %v", object, err)
			}
		}
		return nil
	})
}

// What the cache of the manager shows of an object that is created, applied, updated and deleted.
func work(api client.Client, each item) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	object := &unstructured.Unstructured{Object: each.Manifest}
	if each.Namespaced {
		object.SetNamespace("default")
	}
	key := client.ObjectKeyFromObject(object)
	kind := object.GroupVersionKind()
	seen := func() *unstructured.Unstructured {
		empty := &unstructured.Unstructured{}
		empty.SetGroupVersionKind(kind)
		return empty
	}
	hasLabel := func(name string) func() error {
		return func() error {
			found := seen()
			if err := api.Get(ctx, key, found); err != nil {
				return err
			}
			if found.GetLabels()[name] != "yes" {
				return fmt.Errorf("the cache has labels %v", found.GetLabels())
			}
			return nil
		}
	}
	if err := api.Create(ctx, object.DeepCopy()); err != nil {
		return err
	}
	applied := seen()
	applied.SetName(object.GetName())
	applied.SetNamespace(object.GetNamespace())
	applied.SetLabels(map[string]string{"applied": "yes"})
	configuration := client.ApplyConfigurationFromUnstructured(applied)
	if err := api.Apply(ctx, configuration, client.FieldOwner("controller"), client.ForceOwnership); err != nil {
		return err
	}
	if err := eventually(hasLabel("applied")); err != nil {
		return err
	}
	if err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		found := seen()
		if err := api.Get(ctx, key, found); err != nil {
			return err
		}
		labels := found.GetLabels()
		labels["updated"] = "yes"
		found.SetLabels(labels)
		return api.Update(ctx, found)
	}); err != nil {
		return err
	}
	if err := eventually(hasLabel("updated")); err != nil {
		return err
	}
	if err := api.Delete(ctx, object); err != nil {
		return err
	}
	return eventually(func() error {
		if err := api.Get(ctx, key, seen()); !errors.IsNotFound(err) {
			return fmt.Errorf("the cache still has it: %v", err)
		}
		return nil
	})
}

func eventually(condition func() error) error {
	deadline := time.Now().Add(limit)
	for {
		err := condition()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}
