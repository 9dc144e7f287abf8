{{ define "deep" }}
  {{ include "deeper" . }}
{{ end }}
{{ define "deeper" }}a: {{ .Values.a.b.c }}{{ end }}
{{ define "required" }}{{ required "deep is needed" .Values.deep }}{{ end }}
