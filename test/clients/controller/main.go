// Command controller is a small operator made with controller-runtime: it keeps a ConfigMap for each Site, tells so in the
// status, and holds each Site by a finalizer until it has said goodbye. It ends when a Site named `last` is gone.
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const finalizer = "example.com/goodbye"

var kind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Site"}

type reconciler struct {
	client.Client
	stop context.CancelFunc
}

func site() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := site()
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !object.GetDeletionTimestamp().IsZero() {
		return ctrl.Result{}, r.leave(ctx, object)
	}
	if controllerutil.AddFinalizer(object, finalizer) {
		if err := r.Update(ctx, object); err != nil {
			return ctrl.Result{}, err
		}
	}
	title, _, _ := unstructured.NestedString(object.Object, "spec", "title")
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: object.GetName(), Namespace: object.GetNamespace()}}
	done, err := controllerutil.CreateOrUpdate(ctx, r.Client, page, func() error {
		page.Data = map[string]string{"title": title}
		return controllerutil.SetControllerReference(object, page, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if done != controllerutil.OperationResultNone {
		fmt.Println(done, object.GetName(), title)
	}
	before := object.DeepCopy()
	if err := unstructured.SetNestedField(object.Object, title, "status", "shown"); err != nil {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(object.Object, object.GetGeneration(), "status", "observedGeneration"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func (r *reconciler) leave(ctx context.Context, object *unstructured.Unstructured) error {
	if !controllerutil.RemoveFinalizer(object, finalizer) {
		return nil
	}
	fmt.Println("goodbye", object.GetName())
	if err := r.Update(ctx, object); err != nil {
		return err
	}
	if object.GetName() == "last" {
		r.stop()
	}
	return nil
}

func main() {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	ctx, stop := context.WithCancel(ctrl.SetupSignalHandler())
	if err := run(ctx, stop); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stop context.CancelFunc) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		return err
	}
	namespace := os.Args[2]
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics: server.Options{BindAddress: "0"}, LeaderElection: true, LeaderElectionID: "sites.example.com",
		LeaderElectionNamespace: namespace, LeaderElectionReleaseOnCancel: true,
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	if err != nil {
		return err
	}
	err = manager.GetFieldIndexer().IndexField(ctx, &corev1.ConfigMap{}, "title", func(object client.Object) []string {
		return []string{object.(*corev1.ConfigMap).Data["title"]}
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(site(), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{Client: manager.GetClient(), stop: stop})
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}
