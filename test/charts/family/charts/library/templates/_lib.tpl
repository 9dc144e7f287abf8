{{- define "library.name" -}}
{{ .Release.Name }}-{{ .Chart.Name }}
{{- end -}}
{{- define "library.labels" }}
app: {{ .Chart.Name | quote }}
version: {{ .Chart.Version | replace "+" "_" }}
{{- end }}
