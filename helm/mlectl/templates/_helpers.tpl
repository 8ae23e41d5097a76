{{/* Names and pieces that several templates share. */}}

{{- define "mlectl.name" -}}
{{- if contains "mlectl" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-mlectl" (.Release.Name | trunc 32 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "mlectl.labels" -}}
app.kubernetes.io/name: mlectl
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: mlectl
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Labels that a workload is found by: dict "root" $ "component" "controller". */}}
{{- define "mlectl.selector" -}}
app.kubernetes.io/name: mlectl
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "mlectl.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
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

{{/* Never two replicas on one node where there is another: dict "root" $ "component" "controller". */}}
{{- define "mlectl.spread" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "mlectl.selector" . | nindent 12 }}
{{- end }}

{{- define "mlectl.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
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

{{/* AWS_CA_BUNDLE and its mount, where the store's certificate is of a private authority. */}}
{{- define "mlectl.caEnv" -}}
{{- if .Values.store.caConfigMap }}
- {name: SSL_CERT_FILE, value: /etc/mlectl-ca/ca.crt}
{{- end }}
{{- end }}
