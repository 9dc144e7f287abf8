// Command oracle answers what Argo's notifications engine makes of settings and an object: JSON lines in, JSON lines out.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"github.com/argoproj/notifications-engine/pkg/api"
	"github.com/argoproj/notifications-engine/pkg/controller"
	"github.com/argoproj/notifications-engine/pkg/services"
	"github.com/argoproj/notifications-engine/pkg/subscriptions"
	"github.com/argoproj/notifications-engine/pkg/templates"
	corev1 "k8s.io/api/core/v1"
)

type question struct {
	Config    map[string]string `json:"config"`
	Object    map[string]any    `json:"object"`
	Templates []string          `json:"templates"`
}

type answer struct {
	// Told has the keys of the state by destination, for what triggers fire.
	Told         []string       `json:"told"`
	Notification map[string]any `json:"notification,omitempty"`
	Error        string         `json:"error,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	for in.Scan() {
		decoder := json.NewDecoder(bytes.NewReader(in.Bytes()))
		decoder.UseNumber()
		var q question
		if err := decoder.Decode(&q); err != nil {
			panic(err)
		}
		q.Object = whole(q.Object).(map[string]any)
		out, err := json.Marshal(ask(q))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(out))
	}
}

// whole makes numbers what they are in unstructured objects: int64 where they are whole.
func whole(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k := range v {
			v[k] = whole(v[k])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return value
}

func texts(value any) map[string]string {
	out := map[string]string{}
	if m, ok := value.(map[string]any); ok {
		for k, v := range m {
			out[k], _ = v.(string)
		}
	}
	return out
}

func ask(q question) answer {
	cfg, err := api.ParseConfig(&corev1.ConfigMap{Data: q.Config}, &corev1.Secret{})
	if err != nil {
		return answer{Error: err.Error()}
	}
	vars := func(obj map[string]any, dest services.Destination) map[string]any {
		return map[string]any{"app": obj, "context": map[string]string{"notificationType": dest.Service}}
	}
	engine, err := api.NewAPI(*cfg, vars)
	if err != nil {
		return answer{Error: err.Error()}
	}
	metadata, _ := q.Object["metadata"].(map[string]any)
	res := answer{Told: []string{}}
	destinations := cfg.GetGlobalDestinations(texts(metadata["labels"]))
	destinations.Merge(subscriptions.NewAnnotations(texts(metadata["annotations"])).GetDestinations(cfg.DefaultTriggers, cfg.ServiceDefaultTriggers))
	for trigger, to := range destinations.Dedup() {
		results, err := engine.RunTrigger(trigger, q.Object)
		if err != nil {
			continue
		}
		for _, result := range results {
			for _, dest := range to {
				if result.Triggered {
					res.Told = append(res.Told, controller.StateItemKey(false, "", trigger, result, dest))
				}
			}
		}
	}
	sort.Strings(res.Told)
	if len(q.Templates) > 0 {
		formatter, err := templates.NewService(cfg.Templates)
		if err != nil {
			return answer{Error: err.Error()}
		}
		in := vars(q.Object, services.Destination{Service: "slack"})
		in["serviceType"] = "slack"
		in["recipient"] = "ops"
		notification, err := formatter.FormatNotification(in, q.Templates...)
		if err != nil {
			res.Error = err.Error()
			return res
		}
		data, err := json.Marshal(notification)
		if err != nil {
			panic(err)
		}
		_ = json.Unmarshal(data, &res.Notification)
	}
	return res
}
