// Command clients uses a cluster as controllers do: shared informers, leader election, server-side apply, protobuf.
// It prints a line for every step and ends with 1 at the first that does not go as on a real API server. Arguments: a
// kubeconfig, a namespace, and `exec` to run commands in the pod `web` alone.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

type clients struct {
	ctx       context.Context
	config    *rest.Config
	typed     kubernetes.Interface
	dynamic   dynamic.Interface
	namespace string
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check("kubeconfig", err)
	config.QPS = -1
	binary := rest.CopyConfig(config)
	binary.ContentType = "application/vnd.kubernetes.protobuf"
	binary.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	c := &clients{
		ctx:       ctx,
		config:    config,
		typed:     kubernetes.NewForConfigOrDie(binary),
		dynamic:   dynamic.NewForConfigOrDie(config),
		namespace: os.Args[2],
	}
	type step struct {
		name string
		run  func(*clients) error
	}
	steps := []step{
		{"informers", sharedInformers},
		{"conflict", conflicts},
		{"apply", applies},
		{"custom resources", customResources},
		{"metadata", metadataOnly},
		{"leader election", leaders},
		{"pages", pages},
		{"resync", resyncs},
		{"watch list", watchLists},
		{"custom applies", dynamicApplies},
	}
	if len(os.Args) > 3 {
		steps = []step{{"exec", execs}}
	}
	for _, step := range steps {
		check(step.name, step.run(c))
		fmt.Println(step.name)
	}
}

func check(step string, err error) {
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", step, err)
	os.Exit(1)
}

// log collects what an informer tells, for one step to wait for.
type log struct {
	mutex sync.Mutex
	lines []string
}

func (l *log) add(line string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lines = append(l.lines, line)
}

func (l *log) wait(ctx context.Context, wanted ...string) error {
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		return strings.Join(l.lines, "; ") == strings.Join(wanted, "; "), nil
	})
	if err != nil {
		return fmt.Errorf("told %q, wanted %q", l.lines, wanted)
	}
	return nil
}

func (l *log) handler() cache.ResourceEventHandlerFuncs {
	name := func(object any) string { return object.(metav1.Object).GetName() }
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { l.add("add " + name(object)) },
		UpdateFunc: func(_, object any) { l.add("update " + name(object)) },
		DeleteFunc: func(object any) { l.add("delete " + name(object)) },
	}
}

func sharedInformers(c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "before", Labels: map[string]string{"test": "informer"}}}
	if _, err := maps.Create(c.ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	selected := informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "test=informer" })
	factory := informers.NewSharedInformerFactoryWithOptions(c.typed, 0, informers.WithNamespace(c.namespace), selected)
	informer := factory.Core().V1().ConfigMaps().Informer()
	told := &log{}
	if _, err := informer.AddEventHandler(told.handler()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the informer did not sync")
	}
	object = object.DeepCopy()
	object.Name = "later"
	created, err := maps.Create(c.ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	created.Data = map[string]string{"key": "value"}
	if _, err := maps.Update(c.ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	// leaves the selection: that is a deletion for whoever watches it
	patch := []byte(`{"metadata":{"labels":null}}`)
	if _, err := maps.Patch(c.ctx, "before", types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(c.ctx, "later", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return told.wait(c.ctx, "add before", "add later", "update later", "delete before", "delete later")
}

func conflicts(c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	first, err := maps.Create(c.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "contended"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	stale := first.DeepCopy()
	first.Data = map[string]string{"winner": "first"}
	if _, err := maps.Update(c.ctx, first, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if _, err := maps.Update(c.ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale update was answered with %v", err)
	}
	if _, err := maps.Create(c.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "contended"}}, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second creation was answered with %v", err)
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := maps.Get(c.ctx, "contended", metav1.GetOptions{})
		if err != nil {
			return err
		}
		current.Data["second"] = "too"
		_, err = maps.Update(c.ctx, current, metav1.UpdateOptions{})
		return err
	})
}

func applies(c *clients) error {
	labels := map[string]string{"app": "applied"}
	web := appsapply.Deployment("applied", c.namespace).WithSpec(appsapply.DeploymentSpec().
		WithReplicas(0).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).
			WithSpec(coreapply.PodSpec().WithContainers(coreapply.Container().WithName("main").WithImage("nginx:1")))))
	deployments := c.typed.AppsV1().Deployments(c.namespace)
	if _, err := deployments.Apply(c.ctx, web, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	web.Spec.Template.Spec.Containers[0].WithImage("nginx:2")
	if _, err := deployments.Apply(c.ctx, web, metav1.ApplyOptions{FieldManager: "two"}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a conflicting apply was answered with %v", err)
	}
	applied, err := deployments.Apply(c.ctx, web, metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	extracted, err := appsapply.ExtractDeployment(applied, "two")
	if err != nil {
		return err
	}
	if image := extracted.Spec.Template.Spec.Containers[0].Image; image == nil || *image != "nginx:2" {
		return fmt.Errorf("extracted %v", image)
	}
	return nil
}

func customResources(c *clients) error {
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "widgets.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}}
	_, err := c.dynamic.Resource(definitions).Create(c.ctx, definition, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	if err := wait.PollUntilContextTimeout(c.ctx, 20*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := c.dynamic.Resource(widgets).Namespace(c.namespace).List(ctx, metav1.ListOptions{})
		return err == nil, nil
	}); err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.typed.Discovery()))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Widget"})
	if err != nil {
		return err
	}
	if mapping.Resource != widgets {
		return fmt.Errorf("mapped to %v", mapping.Resource)
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, 0, c.namespace, nil)
	told := &log{}
	informer := factory.ForResource(widgets).Informer()
	if _, err := informer.AddEventHandler(told.handler()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	widget := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "one"}, "spec": map[string]any{"size": int64(1)},
	}}
	created, err := c.dynamic.Resource(widgets).Namespace(c.namespace).Create(c.ctx, widget, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	created.Object["status"] = map[string]any{"ready": true}
	if _, err := c.dynamic.Resource(widgets).Namespace(c.namespace).UpdateStatus(c.ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return told.wait(c.ctx, "add one", "update one")
}

func metadataOnly(c *clients) error {
	client, err := metadata.NewForConfig(c.config)
	if err != nil {
		return err
	}
	list, err := client.Resource(widgets).Namespace(c.namespace).List(c.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(list.Items) != 1 || list.Items[0].Name != "one" {
		return fmt.Errorf("listed %v", list.Items)
	}
	return nil
}

func leaders(c *clients) error {
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, c.namespace, "leader", c.typed.CoreV1(), c.typed.CoordinationV1(),
		resourcelock.ResourceLockConfig{Identity: "me"})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, 20*time.Second)
	defer cancel()
	led := false
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, ReleaseOnCancel: true, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led = true; cancel() },
			OnStoppedLeading: func() {},
		},
	})
	if !led {
		return fmt.Errorf("nobody led")
	}
	return nil
}
