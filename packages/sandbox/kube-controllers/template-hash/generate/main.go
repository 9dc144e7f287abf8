// Writes ../hashed-types.json, of the Go types of Kubernetes: `go mod tidy && go run . >../hashed-types.json` here.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// By the type as Go prints it: what it is made of, or for a struct its fields, each `GoName jsonName type`;
// the jsonName of a field whose own fields stand beside the others is `*`.
var out = map[string]any{}
var seen = map[string]reflect.Type{}

func walk(t reflect.Type) {
	if t.Name() == "" {
		if t.Kind() == reflect.Map {
			walk(t.Key())
		}
		if t.Kind() != reflect.Struct {
			walk(t.Elem())
		}
		return
	}
	n := t.String()
	if other, ok := seen[n]; ok {
		if other != t {
			panic("two types are called " + n)
		}
		return
	}
	seen[n] = t
	switch {
	case n == "resource.Quantity" || n == "v1.Time" || n == "v1.FieldsV1":
		// printed by rules of their own
	case t.Kind() == reflect.Struct:
		fields := []string{}
		for i := 0; i < t.NumField(); i++ {
			f := t.Field(i)
			name := strings.Split(f.Tag.Get("json"), ",")[0]
			if name == "" {
				name = "*"
			}
			fields = append(fields, f.Name+" "+name+" "+f.Type.String())
			walk(f.Type)
		}
		out[n] = fields
	case t.PkgPath() != "":
		out[n] = underlying(t)
	}
}

func underlying(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Map:
		walk(t.Key())
		walk(t.Elem())
		return "map[" + t.Key().String() + "]" + t.Elem().String()
	case reflect.Slice:
		walk(t.Elem())
		return "[]" + t.Elem().String()
	}
	return t.Kind().String()
}

func main() {
	walk(reflect.TypeFor[corev1.PodTemplateSpec]())
	walk(reflect.TypeFor[corev1.EndpointSubset]())
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(out); err != nil {
		panic(err)
	}
}
