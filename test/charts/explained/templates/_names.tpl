{{- define "explained.name" -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 }}
{{- end }}

{{- define "explained.labels" -}}
app: {{ include "explained.name" . }}
chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}
