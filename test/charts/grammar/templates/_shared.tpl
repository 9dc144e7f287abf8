{{- /* a comment before a definition */ -}}
{{- define "leaf" -}}<{{ . }}>{{- end -}}
{{- define "outer" }}{{ $x := 1 }}{{ template "inner" . }}{{ $x }}{{ end -}}
{{- define "inner" }}{{ $x := 2 }}{{ $x }}{{ end -}}
{{- define "empty" }}{{ end -}}
{{ define "unused" }}{{ fail "never" }}{{ end }}
