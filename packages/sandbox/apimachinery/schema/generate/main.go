package main

import (
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"strings"

	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	agg "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// field: [json name, type expr, flags, protobuf number] flags: o omitempty, z omitzero, p pointer; a number `2.1` is field 1 of the
// inlined struct that is field 2
// type expr: s string, b bool, i32/i64/int/f64 numbers, y bytes, [T list, {T map, any, or struct name; specials quantity intorstring time microtime duration fields raw
var out = map[string][][4]string{}
var names = map[reflect.Type]string{}

func name(t reflect.Type) string {
	p := t.PkgPath()
	p = strings.TrimPrefix(p, "k8s.io/")
	p = strings.ReplaceAll(p, "apimachinery/pkg/apis/", "")
	p = strings.ReplaceAll(p, "apiextensions-apiserver/pkg/apis/", "")
	p = strings.ReplaceAll(p, "kube-aggregator/pkg/apis/", "")
	p = strings.ReplaceAll(p, "apimachinery/pkg/", "")
	p = strings.TrimPrefix(p, "api/")
	return p + "." + t.Name()
}

func expr(t reflect.Type) string {
	switch name(t) {
	case "api/resource.Quantity", "resource.Quantity":
		return "quantity"
	case "util/intstr.IntOrString":
		return "intorstring"
	case "meta/v1.Time":
		return "time"
	case "meta/v1.MicroTime":
		return "microtime"
	case "meta/v1.Duration":
		return "duration"
	case "meta/v1.FieldsV1", "runtime.RawExtension", "apiextensions/v1.JSON":
		return "any"
	case "apiextensions/v1.JSONSchemaPropsOrBool", "apiextensions/v1.JSONSchemaPropsOrArray", "apiextensions/v1.JSONSchemaPropsOrStringArray":
		return "or:" + name(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expr(t.Elem())
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int32, reflect.Uint32:
		return "i32"
	case reflect.Int64, reflect.Uint64:
		return "i64"
	case reflect.Int:
		return "int"
	case reflect.Float64, reflect.Float32:
		return "f64"
	case reflect.Slice:
		if t.Name() == "ExtraValue" {
			return "extra"
		}
		if t.Elem().Kind() == reflect.Uint8 {
			return "y"
		}
		return "[" + expr(t.Elem())
	case reflect.Map:
		return "{" + expr(t.Elem())
	case reflect.Interface:
		return "any"
	case reflect.Struct:
		walk(t)
		return name(t)
	case reflect.Uint8:
		return "int"
	}
	panic(t.String())
}

func fields(t reflect.Type) (fs [][4]string) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() {
			continue
		}
		parts := strings.Split(tag, ",")
		if f.Anonymous && (parts[0] == "") {
			ft := f.Type
			if ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			for _, inner := range fields(ft) {
				if n := num(f); n != "" {
					inner[3] = n + "." + inner[3]
				}
				fs = append(fs, inner)
			}
			continue
		}
		fl := ""
		for _, p := range parts[1:] {
			if p == "omitempty" {
				fl += "o"
			}
			if p == "omitzero" {
				fl += "z"
			}
			if p == "string" {
				fl += "s"
			}
		}
		if f.Type.Kind() == reflect.Pointer {
			fl += "p"
		}
		n := parts[0]
		if n == "" {
			n = f.Name
		}
		fs = append(fs, [4]string{n, expr(f.Type), fl, num(f)})
	}
	return
}

func num(f reflect.StructField) string {
	p := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(p) < 2 {
		return ""
	}
	return p[1]
}

func walk(t reflect.Type) {
	n := name(t)
	if _, ok := out[n]; ok {
		return
	}
	out[n] = nil
	out[n] = fields(t)
}

func main() {
	s := scheme.Scheme
	apiext.AddToScheme(s)
	agg.AddToScheme(s)
	kinds := map[string]string{}
	for gvk, t := range s.AllKnownTypes() {
		if strings.HasSuffix(gvk.Kind, "List") || strings.HasSuffix(gvk.Kind, "Options") && gvk.Group != "" || gvk.Kind == "WatchEvent" {
			continue
		}
		if !(gvk.Version == "v1" || gvk.Version == "v2") {
			continue
		}
		if gvk.Group == "imagepolicy.k8s.io" {
			continue
		}
		walk(t)
		kinds[gvk.GroupVersion().String()+"/"+gvk.Kind] = name(t)
	}
	walk(reflect.TypeOf(metav1.Status{}))
	kinds["meta.k8s.io/v1/DeleteOptions"] = "meta/v1.DeleteOptions"
	var ks []string
	for k := range kinds {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	json.NewEncoder(os.Stdout).Encode(map[string]any{"kinds": kinds, "structs": out})
}
