package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"
)

// pages lists in pieces, and all of it is there once.
func pages(c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(c.namespace)
	for index := range 25 {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%02d", index), Labels: map[string]string{"test": "pages"}}}
		if _, err := maps.Create(c.ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	asked := 0
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		asked++
		return maps.List(ctx, options)
	})
	list.PageSize = 7
	var names []string
	if err := list.EachListItem(c.ctx, metav1.ListOptions{LabelSelector: "test=pages"}, func(object runtime.Object) error {
		names = append(names, object.(*corev1.ConfigMap).Name)
		return nil
	}); err != nil {
		return err
	}
	if asked != 4 || len(names) != 25 || names[0] != "page-00" || names[24] != "page-24" {
		return fmt.Errorf("%d pages of %v", asked, names)
	}
	first, err := maps.List(c.ctx, metav1.ListOptions{LabelSelector: "test=pages", Limit: 10})
	if err != nil {
		return err
	}
	if first.RemainingItemCount != nil {
		return fmt.Errorf("%d remain of a selection", *first.RemainingItemCount)
	}
	if err := maps.DeleteCollection(c.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "test=pages"}); err != nil {
		return err
	}
	left, err := maps.List(c.ctx, metav1.ListOptions{LabelSelector: "test=pages"})
	if err == nil && len(left.Items) > 0 {
		err = fmt.Errorf("%d are left", len(left.Items))
	}
	return err
}

// resyncs are told to handlers though nothing has changed.
func resyncs(c *clients) error {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "same", Labels: map[string]string{"test": "resync"}}}
	if _, err := c.typed.CoreV1().ConfigMaps(c.namespace).Create(c.ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	selected := informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "test=resync" })
	factory := informers.NewSharedInformerFactoryWithOptions(c.typed, time.Second, informers.WithNamespace(c.namespace), selected)
	informer := factory.Core().V1().ConfigMaps().Informer()
	same := make(chan struct{}, 16)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, now any) {
		if old.(*corev1.ConfigMap).ResourceVersion == now.(*corev1.ConfigMap).ResourceVersion {
			same <- struct{}{}
		}
	}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	factory.Start(ctx.Done())
	for range 2 {
		select {
		case <-same:
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
	}
	return nil
}

// watchLists begins a watch with what there is, and a bookmark behind it.
func watchLists(c *clients) error {
	yes := true
	watcher, err := c.typed.CoreV1().ConfigMaps(c.namespace).Watch(c.ctx, metav1.ListOptions{
		LabelSelector: "test=resync", AllowWatchBookmarks: true, SendInitialEvents: &yes,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for _, wanted := range []watch.EventType{watch.Added, watch.Bookmark} {
		event := <-watcher.ResultChan()
		object, ok := event.Object.(*corev1.ConfigMap)
		if event.Type != wanted || !ok {
			return fmt.Errorf("%v with %T, wanted %v", event.Type, event.Object, wanted)
		}
		if wanted == watch.Bookmark && object.Annotations[metav1.InitialEventsAnnotationKey] != "true" {
			return fmt.Errorf("a bookmark with %v", object.Annotations)
		}
	}
	return nil
}

// dynamicApplies owns a custom resource and its status by two managers.
func dynamicApplies(c *clients) error {
	client := c.dynamic.Resource(widgets).Namespace(c.namespace)
	of := func(field string, value map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "applied"}, field: value,
		}}
	}
	if _, err := client.Apply(c.ctx, "applied", of("spec", map[string]any{"size": int64(1)}), metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	if _, err := client.ApplyStatus(c.ctx, "applied", of("status", map[string]any{"ready": true}), metav1.ApplyOptions{FieldManager: "two"}); err != nil {
		return err
	}
	_, err := client.Apply(c.ctx, "applied", of("spec", map[string]any{"size": int64(2)}), metav1.ApplyOptions{FieldManager: "three"})
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "one": .spec.size`) {
		return fmt.Errorf("another manager was answered with %v", err)
	}
	if _, err := client.Apply(c.ctx, "applied", of("spec", map[string]any{}), metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	now, err := client.Get(c.ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if _, found, _ := unstructured.NestedInt64(now.Object, "spec", "size"); found {
		return fmt.Errorf("what nobody applies any more is there: %v", now.Object["spec"])
	}
	if ready, _, _ := unstructured.NestedBool(now.Object, "status", "ready"); !ready {
		return fmt.Errorf("the status is %v", now.Object["status"])
	}
	return nil
}

// execs runs a command in the pod `web` by both protocols.
func execs(c *clients) error {
	request := c.typed.CoreV1().RESTClient().Post().Resource("pods").Namespace(c.namespace).Name("web").SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{
			Command: []string{"sh", "-c", "cat; echo err >&2; exit 3"}, Stdin: true, Stdout: true, Stderr: true,
		}, scheme.ParameterCodec)
	spdy, err := remotecommand.NewSPDYExecutor(c.config, http.MethodPost, request.URL())
	if err != nil {
		return err
	}
	websocket, err := remotecommand.NewWebSocketExecutor(c.config, http.MethodGet, request.URL().String())
	if err != nil {
		return err
	}
	for name, executor := range map[string]remotecommand.Executor{"spdy": spdy, "websocket": websocket} {
		var stdout, stderr bytes.Buffer
		err := executor.StreamWithContext(c.ctx, remotecommand.StreamOptions{
			Stdin: strings.NewReader("given"), Stdout: &stdout, Stderr: &stderr,
		})
		exit, ok := err.(exec.CodeExitError)
		if !ok || exit.Code != 3 || stdout.String() != "given" || stderr.String() != "err\n" {
			return fmt.Errorf("%s ended with %v, printed %q and %q", name, err, stdout.String(), stderr.String())
		}
	}
	return nil
}
