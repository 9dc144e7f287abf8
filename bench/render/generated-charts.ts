import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The kinds that each component of a generated chart has, in the way in which public charts write them. */
const component = `{{- $own := index .Values.components "NAME" }}
{{- if $own.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "chart.fullname" . }}-NAME
  namespace: {{ .Release.Namespace | quote }}
  labels: {{- include "chart.labels" (dict "labels" .Values.commonLabels "context" $) | nindent 4 }}
  {{- if or $own.annotations .Values.commonAnnotations }}
  {{- $annotations := merge (default (dict) $own.annotations) (default (dict) .Values.commonAnnotations) }}
  annotations: {{- include "chart.render" (dict "value" $annotations "context" $) | nindent 4 }}
  {{- end }}
spec:
  {{- if not $own.autoscaling.enabled }}
  replicas: {{ $own.replicas }}
  {{- end }}
  selector:
    matchLabels: {{- include "chart.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "chart.labels" (dict "labels" $own.podLabels "context" $) | nindent 8 }}
      annotations:
        checksum/config: {{ include (print $.Template.BasePath "/NAME-config.yaml") . | sha256sum }}
    spec:
      serviceAccountName: {{ include "chart.fullname" . }}
      {{- with $own.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if $own.tolerations }}
      tolerations: {{- include "chart.render" (dict "value" $own.tolerations "context" $) | nindent 8 }}
      {{- end }}
      containers:
        - name: NAME
          image: {{ printf "%s/%s:%s" (default "docker.io" .Values.global.registry) $own.image.repository (toString $own.image.tag) | quote }}
          imagePullPolicy: {{ $own.image.pullPolicy | default "IfNotPresent" }}
          env:
            {{- range $name, $value := $own.env }}
            - name: {{ $name | upper | replace "-" "_" }}
              value: {{ tpl (toString $value) $ | quote }}
            {{- end }}
          ports:
            {{- range $own.ports }}
            - name: {{ .name }}
              containerPort: {{ .port | int }}
            {{- end }}
          {{- if $own.probe.enabled }}
          livenessProbe: {{- omit $own.probe "enabled" | toYaml | nindent 12 }}
          readinessProbe: {{- omit $own.probe "enabled" | toYaml | nindent 12 }}
          {{- end }}
          resources: {{- toYaml $own.resources | nindent 12 }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "chart.fullname" . }}-NAME
  labels: {{- include "chart.labels" (dict "labels" .Values.commonLabels "context" $) | nindent 4 }}
spec:
  ports:
    {{- range $own.ports }}
    - {name: {{ .name }}, port: {{ .port }}, targetPort: {{ .name }}}
    {{- end }}
  selector: {{- include "chart.selector" . | nindent 4 }}
{{- if semverCompare ">=1.23-0" .Capabilities.KubeVersion.Version }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "chart.fullname" . }}-NAME
spec:
  minReplicas: {{ $own.autoscaling.min }}
  maxReplicas: {{ $own.autoscaling.max }}
{{- end }}
{{- end }}
`;

const config = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "chart.fullname" . }}-NAME
  labels: {{- include "chart.labels" (dict "labels" .Values.commonLabels "context" $) | nindent 4 }}
data:
  config.yaml: |
    {{- tpl (toYaml (index .Values.components "NAME").config) . | nindent 4 }}
  settings.json: {{ (index .Values.components "NAME").config | toJson | quote }}
`;

const helpers = `{{- define "chart.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "chart.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains (include "chart.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "chart.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- define "chart.selector" -}}
app.kubernetes.io/name: {{ include "chart.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "chart.render" -}}
{{- $value := typeIs "string" .value | ternary .value (.value | toYaml) }}
{{- if contains "{{" (toJson .value) }}{{ tpl $value .context }}{{ else }}{{ $value }}{{ end }}
{{- end -}}
{{- define "chart.labels" -}}
{{- $defaults := dict "app.kubernetes.io/name" (include "chart.name" .context) "app.kubernetes.io/instance" .context.Release.Name "app.kubernetes.io/managed-by" .context.Release.Service "helm.sh/chart" (printf "%s-%s" .context.Chart.Name .context.Chart.Version | replace "+" "_") -}}
{{ merge (default (dict) .labels | toYaml | fromYaml) $defaults | toYaml }}
{{- end -}}
`;

const names = ['web', 'api', 'worker', 'cache', 'gateway', 'scheduler', 'store', 'proxy'];

function valuesOf(components: readonly string[]): string {
  const own = (name: string, i: number): string => `  ${name}:
    enabled: true
    replicas: ${i + 1}
    annotations: {}
    podLabels: {tier: ${name}}
    nodeSelector: {kubernetes.io/os: linux}
    tolerations:
      - {key: dedicated, operator: Equal, value: ${name}, effect: NoSchedule}
    image: {repository: example/${name}, tag: "1.${i}.0", pullPolicy: ""}
    env: {log-level: info, name: "{{ .Release.Name }}-${name}", size: ${i * 10}}
    ports: [{name: http, port: ${8080 + i}}, {name: metrics, port: ${9090 + i}}]
    probe: {enabled: true, httpGet: {path: /healthz, port: http}, periodSeconds: 10}
    resources: {limits: {cpu: 500m, memory: 256Mi}, requests: {cpu: 100m, memory: 128Mi}}
    autoscaling: {enabled: ${i % 2 === 0}, min: 1, max: 5}
    config:
      server: {address: "0.0.0.0:${8080 + i}", timeout: 30s}
      features: [alpha, beta, gamma]
      upstream: "http://{{ .Release.Name }}.{{ .Release.Namespace }}.svc"
`;
  return `global: {registry: ""}
nameOverride: ""
fullnameOverride: ""
commonLabels: {team: platform}
commonAnnotations: {}
components:
${components.map(own).join('')}`;
}

/** Writes charts of growing size into a folder, each with a subchart, in the manner of public ones; gives their folders. */
export function writeGeneratedCharts(folder: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const chart = join(folder, `generated-${i}`);
    writeChart(chart, `generated-${i}`, names.slice(0, 1 + (i % names.length)));
    writeChart(join(chart, 'charts', 'base'), 'base', names.slice(0, 2));
    return chart;
  });
}

function writeChart(folder: string, name: string, components: readonly string[]): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('Chart.yaml', `apiVersion: v2\nname: ${name}\nversion: 1.2.3\nappVersion: "4.5"\n`);
  write('values.yaml', valuesOf(components));
  write('templates/_helpers.tpl', helpers);
  for (const own of components) {
    write(`templates/${own}.yaml`, component.replaceAll('NAME', own));
    write(`templates/${own}-config.yaml`, config.replaceAll('NAME', own));
  }
}
