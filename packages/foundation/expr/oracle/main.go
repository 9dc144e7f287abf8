// Command oracle answers expressions with the Go module expr-lang: JSON lines in, JSON lines out.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
)

type question struct {
	Text string `json:"text"`
	// Mode says what the compiler knows: none, env, undefined, bool, int, float.
	Mode string `json:"mode"`
}

type answer struct {
	Value string `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
}

func environment() map[string]any {
	return map[string]any{
		"i":       42,
		"zero":    0,
		"i64":     int64(7),
		"u8":      uint8(200),
		"f":       1.5,
		"s":       "héllo",
		"empty":   "",
		"yes":     true,
		"no":      false,
		"nothing": nil,
		"mixed":   []any{int64(1), 2.5, "three", nil, true},
		"ints":    []int{3, 1, 2},
		"words":   []string{"pear", "apple", "fig"},
		"bytes":   []byte("abc"),
		"obj": map[string]any{
			"a": int64(1), "b": map[string]any{"c": "deep"}, "list": []any{int64(10), int64(20)}, "nil": nil,
			"__proto__": "plain", "in": "keyword",
		},
		"labels": map[string]string{"app": "shop", "tier": "web"},
		"people": []any{
			map[string]any{"name": "Ann", "age": int64(31), "tags": []any{"x", "y"}},
			map[string]any{"name": "Bob", "age": int64(25), "tags": []any{}},
			map[string]any{"name": "Cid", "age": int64(31), "tags": []any{"z"}},
		},
		"t":    time.Date(2024, 2, 29, 12, 30, 15, 5000000, time.UTC),
		"d":    90 * time.Minute,
		"add":  func(a, b int) int { return a + b },
		"half": func(f float64) float64 { return f / 2 },
		"fail": func() (any, error) { return nil, errors.New("it failed") },
		"echo": func(v any) any { return v },
		"join2": func(a string, rest ...string) string {
			return a + ":" + strings.Join(rest, ",")
		},
		"upper2": func(s string) string { return strings.ToUpper(s) },
	}
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			panic(err)
		}
		line, err := json.Marshal(ask(q))
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(out, "%s\n", line)
	}
}

func ask(q question) answer {
	env := environment()
	var options []expr.Option
	switch q.Mode {
	case "env":
		options = append(options, expr.Env(env))
	case "undefined":
		options = append(options, expr.Env(env), expr.AllowUndefinedVariables())
	case "bool":
		options = append(options, expr.Env(env), expr.AsBool())
	case "int":
		options = append(options, expr.Env(env), expr.AsInt())
	case "float":
		options = append(options, expr.Env(env), expr.AsFloat64())
	}
	program, err := expr.Compile(q.Text, options...)
	if err != nil {
		return answer{Error: err.Error()}
	}
	value, err := expr.Run(program, env)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: show(value)}
}

// show writes a value with its types.
func show(value any) string {
	switch v := value.(type) {
	case nil:
		return "nil"
	case string:
		text, _ := json.Marshal(v)
		return string(text)
	case float64:
		return "float64(" + strconv.FormatFloat(v, 'g', -1, 64) + ")"
	case time.Time:
		return "time(" + v.Format(time.RFC3339Nano) + " " + v.Location().String() + ")"
	case time.Duration:
		return "duration(" + v.String() + ")"
	case *time.Location:
		return "location(" + v.String() + ")"
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = show(v.Index(i).Interface())
		}
		return v.Type().String() + "[" + strings.Join(parts, " ") + "]"
	case reflect.Map:
		var parts []string
		for _, key := range v.MapKeys() {
			parts = append(parts, show(key.Interface())+":"+show(v.MapIndex(key).Interface()))
		}
		sort.Strings(parts)
		return v.Type().String() + "{" + strings.Join(parts, " ") + "}"
	case reflect.Func:
		return "func"
	}
	return fmt.Sprintf("%T(%v)", value, value)
}
