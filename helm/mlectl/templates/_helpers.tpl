{{/* Names and pieces that several templates share. */}}

{{- define "mlectl.name" -}}
{{- if contains "mlectl" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-mlectl" (.Release.Name | trunc 32 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "mlectl.labels" -}}
app.kubernetes.io/name: mlectl
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: mlectl
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Labels that a workload is found by: dict "root" $ "component" "controller". */}}
{{- define "mlectl.selector" -}}
app.kubernetes.io/name: mlectl
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "mlectl.repository" -}}
{{ required "image.repository: name the orchestrator's image in your registry, such as registry.example/mlectl/orchestrator; `make images REGISTRY=registry.example/mlectl` builds it" .Values.image.repository }}
{{- end }}

{{- define "mlectl.image" -}}
{{ include "mlectl.repository" . }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* What `helm test` runs: the bundled agent, which is built and pushed together with the orchestrator. */}}
{{- define "mlectl.testAgent" -}}
{{ .Values.test.agentImage | default (printf "%s:%s" (regexReplaceAll "[^/]+$" (include "mlectl.repository" .) "agent-dummy") .Chart.AppVersion) }}
{{- end }}

{{- define "mlectl.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "mlectl.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Replicas on nodes of their own, and in zones of their own, where there are others. */}}
{{- define "mlectl.spread" -}}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels: {{- include "mlectl.selector" . | nindent 14 }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "mlectl.selector" . | nindent 8 }}
{{- end }}

{{/* A node must not take the last replica that serves when it is drained. */}}
{{- define "mlectl.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "mlectl.name" .root }}-{{ .component }}
  labels: {{- include "mlectl.labels" .root | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "mlectl.selector" . | nindent 6 }}
{{- end }}

{{/* An amount as text, also one that is written as a number: a large number would come out as 3.4e+10. */}}
{{- define "mlectl.quantity" -}}
{{ toJson . | trimAll "\"" | quote }}
{{- end }}

{{/* Where a pod may run: a value with nodeSelector and tolerations. */}}
{{- define "mlectl.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Agents' pods, as NetworkPolicy peers. */}}
{{- define "mlectl.agentPeers" -}}
{{- $pods := "{matchLabels: {mlectl.dev/role: agent}}" }}
{{- range .Values.agents.namespaces }}
- namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: {{ . | quote }}}}
  podSelector: {{ $pods }}
{{- else }}
- namespaceSelector: {}
  podSelector: {{ $pods }}
{{- end }}
{{- end }}

{{- define "mlectl.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "mlectl.tokenSecret" -}}
{{ .Values.validation.existingSecret | default (printf "%s-tokens" (include "mlectl.name" .)) }}
{{- end }}

{{- define "mlectl.storeEndpoint" -}}
{{- if .Values.store.bundled.enabled }}http://{{ include "mlectl.name" . }}-store.{{ .Release.Namespace }}.svc:8333
{{- else }}{{ .Values.store.endpoint }}{{ end }}
{{- end }}

{{/* A store's URL as mlectl writes it: dict "root" $ "bucket" "mlectl-runs". */}}
{{- define "mlectl.storeUrl" -}}
{{- $options := list }}
{{- with include "mlectl.storeEndpoint" .root }}{{ $options = append $options (printf "endpoint=%s" .) }}{{ end }}
{{- with .root.Values.store.region }}{{ $options = append $options (printf "region=%s" .) }}{{ end -}}
s3://{{ .bucket }}{{ if $options }}?{{ join "&" $options }}{{ end }}
{{- end }}

{{- define "mlectl.controllerSecret" -}}
{{- if .Values.store.bundled.enabled }}{{ include "mlectl.name" . }}-store-controller
{{- else }}{{ required "store.controllerSecret: name a Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or set store.bundled.enabled=true to try things out" .Values.store.controllerSecret }}{{ end }}
{{- end }}

{{- define "mlectl.graderSecret" -}}
{{- if .Values.store.bundled.enabled }}{{ include "mlectl.name" . }}-store-grader
{{- else }}{{ required "store.graderSecret: name a Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the identity that may read the answers, or set store.bundled.enabled=true to try things out" .Values.store.graderSecret }}{{ end }}
{{- end }}

{{/* What it takes to trust the store, where its certificate is of a private authority: variable, mount, volume. */}}
{{- define "mlectl.caEnv" -}}
{{- if .Values.store.caConfigMap }}
- {name: SSL_CERT_FILE, value: /etc/mlectl-ca/ca.crt}
{{- end }}
{{- end }}

{{- define "mlectl.caMount" -}}
{{- if .Values.store.caConfigMap }}
- {name: ca, mountPath: /etc/mlectl-ca, readOnly: true}
{{- end }}
{{- end }}

{{- define "mlectl.caVolume" -}}
{{- if .Values.store.caConfigMap }}
- {name: ca, configMap: {name: {{ .Values.store.caConfigMap | quote }}}}
{{- end }}
{{- end }}

{{/* The three stores by URL, as JSON. */}}
{{- define "mlectl.stores" -}}
{{- $stores := dict }}
{{- range $name, $bucket := .Values.store.buckets }}
{{- $_ := set $stores $name (include "mlectl.storeUrl" (dict "root" $ "bucket" $bucket)) }}
{{- end }}
{{- mustToRawJson $stores }}
{{- end }}

{{- define "mlectl.canary" -}}
{{ include "mlectl.name" . }}-canary.{{ .Release.Namespace }}.svc:7
{{- end }}

{{/* Where `helm test` runs its experiment; empty if nobody said so. */}}
{{- define "mlectl.testNamespace" -}}
{{ .Values.test.namespace | default (first .Values.agents.namespaces) | default "" }}
{{- end }}

{{/* Whether an object is there already and is not this release's. It is left alone then: Helm would refuse to take it up.
dict "root" $ "found" (lookup …). */}}
{{- define "mlectl.isTaken" -}}
{{- $owner := dig "metadata" "annotations" (dict) .found }}
{{- $release := list (get $owner "meta.helm.sh/release-namespace") (get $owner "meta.helm.sh/release-name") }}
{{- if and .found (ne (join "/" $release) (printf "%s/%s" .root.Release.Namespace .root.Release.Name)) }}true{{ end }}
{{- end }}

{{- define "mlectl.definitionIsTaken" -}}
{{- $found := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "experimentruns.mlectl.dev" }}
{{- include "mlectl.isTaken" (dict "root" . "found" $found) }}
{{- end }}
