{{/* The name of everything: the release's name. */}}
{{- define "telemetryd.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Names without a namespace: unique in the cluster. */}}
{{- define "telemetryd.clusterName" -}}
{{- $name := include "telemetryd.fullname" . -}}
{{- if eq $name .Release.Namespace -}}{{- $name -}}{{- else -}}{{- printf "%s-%s" .Release.Namespace $name -}}{{- end -}}
{{- end -}}

{{- define "telemetryd.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "telemetryd.fullname" .) -}}
{{- else -}}
{{- required "serviceAccount.name is required with serviceAccount.create: false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "telemetryd.selector" -}}
app.kubernetes.io/name: telemetryd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "telemetryd.commonLabels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "telemetryd.labels" -}}
app.kubernetes.io/name: telemetryd
{{ include "telemetryd.commonLabels" . }}
{{- end -}}

{{- define "telemetryd.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* "true" where the replicas share the work through Redis. */}}
{{- define "telemetryd.fleet" -}}
{{- if or .Values.redis.url .Values.redis.existingSecret .Values.redis.install (dig "redis" "url" "" .Values.config) -}}true{{- end -}}
{{- end -}}
