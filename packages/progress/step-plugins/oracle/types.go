// Prints the Go types that plugins of Argo Rollouts are called with, as a table for the codec, and records streams of gob for its
// tests. It runs inside a checkout of argo-rollouts:
//
//	cp types.go CHECKOUT/hack/tiphys-oracle/main.go && cd CHECKOUT && go run ./hack/tiphys-oracle OUT
//
// writes OUT/types.json and OUT/streams.json.
package main

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"net/rpc"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	metricrpc "github.com/argoproj/argo-rollouts/metricproviders/plugin/rpc"
	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	steprpc "github.com/argoproj/argo-rollouts/rollout/steps/plugin/rpc"
	trafficrpc "github.com/argoproj/argo-rollouts/rollout/trafficrouting/plugin/rpc"
	"github.com/argoproj/argo-rollouts/utils/plugin/types"
)

type table struct {
	Roots map[string]any   `json:"roots"`
	Types map[string][]any `json:"types"`
}

var result = table{Roots: map[string]any{}, Types: map[string][]any{}}

var (
	timeType     = reflect.TypeOf(metav1.Time{})
	microType    = reflect.TypeOf(metav1.MicroTime{})
	rawType      = reflect.TypeOf(json.RawMessage{})
	bytesType    = reflect.TypeOf([]byte{})
	quantityType = reflect.TypeOf(resource.Quantity{})
	intstrType   = reflect.TypeOf(intstr.IntOrString{})
)

func describe(t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case timeType, microType:
		return "time"
	case rawType:
		return "json"
	case bytesType:
		return "bytes"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "int"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "uint"
	case reflect.Float32, reflect.Float64:
		return "float"
	case reflect.String:
		return "string"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return []any{"slice", describe(t.Elem())}
	case reflect.Map:
		return []any{"map", describe(t.Key()), describe(t.Elem())}
	case reflect.Struct:
		return structure(t)
	}
	panic("no gob of " + t.String())
}

func structure(t reflect.Type) any {
	name := t.String()
	// several packages are called rpc
	if path, isOwn := strings.CutPrefix(t.PkgPath(), "github.com/argoproj/argo-rollouts/"); isOwn {
		name = path + "." + t.Name()
	}
	if _, seen := result.Types[name]; seen {
		return []any{"struct", name}
	}
	result.Types[name] = nil
	fields := []any{}
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		if !field.IsExported() {
			continue
		}
		tag, hasTag := field.Tag.Lookup("json")
		jsonName, options, _ := strings.Cut(tag, ",")
		switch {
		case strings.Contains(options, "inline"), hasTag && field.Anonymous && jsonName == "":
			jsonName = ""
		case jsonName == "":
			jsonName = field.Name
		}
		fields = append(fields, []any{field.Name, jsonName, describe(field.Type)})
	}
	result.Types[name] = fields
	return []any{"struct", name}
}

func main() {
	time.Local = time.UTC
	for name, value := range map[string]any{
		"step.RunArgs":                 steprpc.RunArgs{},
		"step.TerminateArgs":           steprpc.TerminateArgs{},
		"step.AbortArgs":               steprpc.AbortArgs{},
		"RunArgs":                      metricrpc.RunArgs{},
		"TerminateAndResumeArgs":       metricrpc.TerminateAndResumeArgs{},
		"GarbageCollectArgs":           metricrpc.GarbageCollectArgs{},
		"GetMetadataArgs":              metricrpc.GetMetadataArgs{},
		"UpdateHashArgs":               trafficrpc.UpdateHashArgs{},
		"SetWeightAndVerifyWeightArgs": trafficrpc.SetWeightAndVerifyWeightArgs{},
		"SetHeaderArgs":                trafficrpc.SetHeaderArgs{},
		"SetMirrorArgs":                trafficrpc.SetMirrorArgs{},
		"RemoveManagedRoutesArgs":      trafficrpc.RemoveManagedRoutesArgs{},
		"rpc.Request":                  rpc.Request{},
	} {
		result.Roots[name] = describe(reflect.TypeOf(value))
	}
	write("types.json", result)
	write("streams.json", streams())
}

func streams() map[string]string {
	recorded := map[string]string{}
	record := func(name string, values ...any) {
		var buffer bytes.Buffer
		encoder := gob.NewEncoder(&buffer)
		for _, value := range values {
			if err := encoder.Encode(value); err != nil {
				panic(err)
			}
		}
		recorded[name] = hex.EncodeToString(buffer.Bytes())
	}
	var rollout v1alpha1.Rollout
	text, err := os.ReadFile(filepath.Join(os.Args[1], "rollout.json"))
	if err != nil {
		panic(err)
	}
	// raw JSON is recorded as an API server would send it
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		panic(err)
	}
	if err := json.Unmarshal(compact.Bytes(), &rollout); err != nil {
		panic(err)
	}
	context := types.RpcStepContext{PluginName: "org/step", Config: json.RawMessage(`{"a":1}`), Status: json.RawMessage(`{"b":[2]}`)}
	record("run", rpc.Request{ServiceMethod: "Plugin.Run", Seq: 3}, steprpc.RunArgs{Rollout: &rollout, Context: &context})
	record("nothing", rpc.Request{ServiceMethod: "Plugin.InitPlugin"}, new(any))
	record("dispense", rpc.Request{ServiceMethod: "Dispenser.Dispense"}, "RpcStepPlugin")
	record("ping", rpc.Request{ServiceMethod: "Control.Ping", Seq: 300}, true)
	record("result", rpc.Response{ServiceMethod: "Plugin.Run", Seq: 3}, steprpc.Response{
		Result: types.RpcStepResult{Phase: types.PhaseRunning, Message: "äöü", RequeueAfter: 90 * time.Second, Status: json.RawMessage(`{"c":3}`)},
	})
	record("refusal", rpc.Response{ServiceMethod: "Plugin.Run", Seq: 4, Error: "rpc: can't find"}, struct{}{})
	when := metav1.NewTime(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	record("measurement", rpc.Response{Seq: 5}, v1alpha1.Measurement{
		Phase: v1alpha1.AnalysisPhaseSuccessful, Value: "1", StartedAt: &when, Metadata: map[string]string{"k": "v"},
	})
	record("numbers", struct {
		A int
		B uint64
		C float64
		D []float64
		E map[string]int
		F [2]bool
	}{-129, 1 << 63, 17.5, []float64{0, -1}, map[string]int{"x": 0}, [2]bool{true, false}})
	return recorded
}

func write(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(os.Args[1], name), append(text, '\n'), 0o644); err != nil {
		panic(err)
	}
}
