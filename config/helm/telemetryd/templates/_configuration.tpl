{{/* telemetryd.yaml: what the chart decides, and config over it. */}}
{{- define "telemetryd.configuration" -}}
{{- $chart := dict "state" (dict "directory" "/data") "ops" (dict "listen" ":9464") -}}
{{- if .Values.clusterPolicies -}}
{{- $_ := set $chart "controlPlane" (dict "kubeconfig" "/etc/telemetryd-kubeconfig/kubeconfig") -}}
{{- end -}}
{{- if include "telemetryd.fleet" . -}}
{{- $_ := set $chart "export" (dict "schedule" "queue") -}}
{{- if .Values.redis.install -}}
{{- $_ := set $chart "redis" (dict "url" (printf "redis://%s-redis:6379" (include "telemetryd.fullname" .))) -}}
{{- else if .Values.redis.url -}}
{{- $_ := set $chart "redis" (dict "url" .Values.redis.url) -}}
{{- end -}}
{{- else -}}
{{- /* Leaves room on the state volume (1Gi) for all else. */ -}}
{{- $_ := set $chart "delivery" (dict "sentLog" (dict "maxSize" "512MiB")) -}}
{{- end -}}
{{- toYaml (mergeOverwrite $chart (deepCopy .Values.config)) -}}
{{- end -}}
