// Command oracle answers template executions with Go's own text/template and Sprig: JSON lines in, JSON lines out.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

type question struct {
	Template   string   `json:"template"`
	Data       any      `json:"data"`
	MissingKey string   `json:"missingKey"`
	Delims     []string `json:"delims"`
}

type answer struct {
	Output []byte `json:"output"`
	Error  string `json:"error,omitempty"`
}

// typed turns {"$int": "1"} and its like into values of the Go types that JSON has no words for.
func typed(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = typed(v[i])
		}
	case map[string]any:
		if text, ok := v["$int"].(string); ok {
			var n int64
			_ = json.Unmarshal([]byte(text), &n)
			return int(n)
		}
		if text, ok := v["$int64"].(string); ok {
			var n int64
			_ = json.Unmarshal([]byte(text), &n)
			return n
		}
		if list, ok := v["$strings"].([]any); ok {
			out := []string{}
			for _, item := range list {
				out = append(out, item.(string))
			}
			return out
		}
		if text, ok := v["$bytes"].(string); ok {
			return []byte(text)
		}
		for key := range v {
			v[key] = typed(v[key])
		}
	}
	return value
}

func ask(q question) (a answer) {
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	t := template.New("t").Funcs(functions)
	if q.MissingKey != "" {
		t.Option("missingkey=" + q.MissingKey)
	}
	if len(q.Delims) == 2 {
		t.Delims(q.Delims[0], q.Delims[1])
	}
	if _, err := t.Parse(q.Template); err != nil {
		return answer{Error: err.Error()}
	}
	var out bytes.Buffer
	if err := t.Execute(&out, typed(q.Data)); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Output: out.Bytes()}
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	decoder := json.NewDecoder(in)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for {
		var q question
		if err := decoder.Decode(&q); err != nil {
			break
		}
		_ = encoder.Encode(ask(q))
		_ = out.Flush()
	}
}
