{{/* Labels of a process: of its objects and of its pods. Takes name, component, partOf. */}}
{{- define "tiphys.labels" -}}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/part-of: {{ .partOf | default "argocd" }}
{{- end }}

{{- define "tiphys.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/*
All objects of one process. Takes root, values (of the component), name, component, partOf, kind, role, args, env, ports (name, port, public),
publicPorts (port, endPort; others that it may listen on), probe (name of a port, metrics without), secureMetrics (they speak TLS), services (name, type, annotations, ports), rules (in its own namespace), clusterRules.
*/}}
{{- define "tiphys.process" -}}
{{- $root := .root }}
{{- $ := . }}
{{- if .values.enabled }}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tiphys.labels" . | nindent 4 }}
  {{- with .values.serviceAccountAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tiphys.labels" . | nindent 4 }}
rules:
  {{- toYaml .rules | nindent 2 }}
  {{- if not $root.Values.clusterScoped }}
  {{- toYaml .clusterRules | nindent 2 }}
  {{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tiphys.labels" . | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ .name }}
    namespace: {{ $root.Release.Namespace }}
{{- if $root.Values.clusterScoped }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .name }}
  labels:
    {{- include "tiphys.labels" . | nindent 4 }}
rules:
  {{- toYaml (concat .clusterRules (.onlyCluster | default list)) | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .name }}
  labels:
    {{- include "tiphys.labels" . | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ .name }}
    namespace: {{ $root.Release.Namespace }}
{{- end }}
---
apiVersion: apps/v1
kind: {{ .kind | default "Deployment" }}
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tiphys.labels" . | nindent 4 }}
spec:
  {{- if eq (.kind | default "") "StatefulSet" }}
  serviceName: {{ .name }}
  podManagementPolicy: Parallel
  {{- end }}
  replicas: {{ .values.replicas }}
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ .name }}
  template:
    metadata:
      labels:
        {{- include "tiphys.labels" . | nindent 8 }}
        {{- with .values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ .name }}
      terminationGracePeriodSeconds: 60
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.topologySpreadConstraints }}
      topologySpreadConstraints:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      affinity:
        {{- if .values.affinity }}
        {{- toYaml .values.affinity | nindent 8 }}
        {{- else }}
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    app.kubernetes.io/name: {{ .name }}
        {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 999
        runAsGroup: 999
        fsGroup: 999
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: {{ .component }}
          image: {{ include "tiphys.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args:
            - up
            - --role={{ .role }}
            - --namespace=$(POD_NAMESPACE)
            - --host=0.0.0.0
            - --no-example
            {{- range .args }}
            - {{ . }}
            {{- end }}
          env:
            - name: POD_NAME
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
            - name: POD_NAMESPACE
              valueFrom:
                fieldRef:
                  fieldPath: metadata.namespace
            - name: NODE_NAME
              valueFrom:
                fieldRef:
                  fieldPath: spec.nodeName
            {{- with $root.Values.redis }}
            - name: REDIS_SERVER
              value: {{ . | quote }}
            {{- end }}
            {{- with concat (.env | default list) .values.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            {{- range .ports }}
            - name: {{ .name }}
              containerPort: {{ .port }}
            {{- end }}
          startupProbe:
            httpGet:
              path: /healthz
              port: {{ .probe | default "metrics" }}
            periodSeconds: 2
            failureThreshold: 150
          livenessProbe:
            httpGet:
              path: /healthz
              port: {{ .probe | default "metrics" }}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet:
              path: /healthz?full=true
              port: {{ .probe | default "metrics" }}
            periodSeconds: 10
            timeoutSeconds: 5
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop:
                - ALL
          volumeMounts:
            - name: tmp
              mountPath: /tmp
            {{- with .values.volumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: {}
        {{- with .values.volumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- range .services }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tiphys.labels" $ | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ .type | default "ClusterIP" }}
  selector:
    app.kubernetes.io/name: {{ $.name }}
  ports:
    {{- range .ports }}
    - name: {{ .name }}
      port: {{ .port }}
      targetPort: {{ .target | default .name }}
    {{- end }}
{{- end }}
{{- if $root.Values.networkPolicies }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tiphys.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/name: {{ .name }}
  policyTypes:
    - Ingress
  ingress:
    {{- range .ports }}
    - ports:
        - port: {{ .port }}
          protocol: TCP
      {{- if not .public }}
      from:
        - namespaceSelector: {}
      {{- end }}
    {{- end }}
    {{- with .publicPorts }}
    - ports:
        {{- range . }}
        - port: {{ .port }}
          endPort: {{ .endPort }}
          protocol: TCP
        {{- end }}
    {{- end }}
{{- end }}
{{- if and $root.Values.podDisruptionBudgets (gt (int .values.replicas) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tiphys.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ .name }}
{{- end }}
{{- if $root.Values.serviceMonitors }}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "tiphys.labels" . | nindent 4 }}
spec:
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ .name }}
  endpoints:
    {{- range .ports }}
    {{- if hasSuffix "metrics" .name }}
    - port: {{ .name }}
      {{- if $.secureMetrics }}
      scheme: https
      tlsConfig:
        insecureSkipVerify: true
      {{- end }}
    {{- end }}
    {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* What every process of the control plane does in its own namespace. */}}
{{- define "tiphys.ownRules" -}}
- apiGroups: [""]
  resources: [secrets, configmaps]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [argoproj.io]
  resources: [applications, applicationsets, appprojects]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [""]
  resources: [events]
  verbs: [list, create, patch]
{{- end }}
