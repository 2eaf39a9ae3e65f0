{{/* Contradictions in the values that the schema cannot express: each ends with a message. */}}
{{- define "telemetryd.checks" -}}
{{- $config := .Values.config -}}
{{- $redis := .Values.redis -}}

{{- if and (not .Values.clusterPolicies) (not $config.controlPlane) (not $config.policies) -}}
{{- fail "clusterPolicies: false needs config.controlPlane or config.policies, which say where policies come from" -}}
{{- end -}}
{{- if and .Values.clusterPolicies (or (dig "controlPlane" "apiUrl" "" $config) (dig "controlPlane" "kubeconfig" "" $config)) -}}
{{- fail "config.controlPlane names another control plane than this cluster: set clusterPolicies: false" -}}
{{- end -}}

{{- if not (dig "metrics" "url" "" $config) -}}
{{- fail "config.metrics.url is required: the address of the metrics store, such as http://victoria-metrics.monitoring.svc:8428" -}}
{{- end -}}
{{- $tenancy := dig "metrics" "tenancy" "label" $config -}}
{{- if and (eq $tenancy "label") (or .Values.clusterPolicies $config.controlPlane) (not (hasKey ($config.metrics | default dict) "tenantLabel")) -}}
{{- fail "config.metrics.tenantLabel is required: the label that holds the project's name, or \"\" where whoever may write a policy may export everything in the store" -}}
{{- end -}}
{{- if and .Values.clusterPolicies (or (ne $tenancy "label") (dig "metrics" "tenantLabel" "" $config)) (not (dig "controlPlane" "projects" list $config)) -}}
{{- fail "config.controlPlane.projects is required: [NAME] is the project, or tenant, whose samples the policies of this cluster may export" -}}
{{- end -}}

{{- if ne (dig "state" "directory" "/data" $config) "/data" -}}
{{- fail "config.state.directory must be left out: the chart mounts the state at /data" -}}
{{- end -}}
{{- if ne (toString (dig "ops" "listen" ":9464" $config)) ":9464" -}}
{{- fail "config.ops.listen must be left out: probes and the Service use port 9464" -}}
{{- end -}}

{{- $urls := list -}}
{{- if $redis.url -}}{{- $urls = append $urls "redis.url" -}}{{- end -}}
{{- if $redis.existingSecret -}}{{- $urls = append $urls "redis.existingSecret" -}}{{- end -}}
{{- if $redis.install -}}{{- $urls = append $urls "redis.install" -}}{{- end -}}
{{- if dig "redis" "url" "" $config -}}{{- $urls = append $urls "config.redis.url" -}}{{- end -}}
{{- if gt (len $urls) 1 -}}
{{- fail (printf "choose one Redis: %s are given" (join " and " $urls)) -}}
{{- end -}}
{{- if and (gt (int .Values.replicas) 1) (not $urls) -}}
{{- fail (printf "replicas: %d needs Redis: set redis.url, redis.existingSecret or redis.install: true" (int .Values.replicas)) -}}
{{- end -}}
{{- $schedule := dig "export" "schedule" "" $config -}}
{{- if and $urls (eq $schedule "local") -}}
{{- fail "config.export.schedule: local contradicts Redis, through which replicas share the work" -}}
{{- end -}}
{{- if and (eq $schedule "queue") (not $urls) -}}
{{- fail "config.export.schedule: queue needs Redis: set redis.url, redis.existingSecret or redis.install: true" -}}
{{- end -}}
{{- $url := printf "%v %v" $redis.url (dig "redis" "url" "" $config) -}}
{{- if or (regexMatch "//[^/@ ]*:[^/@ ]+@" $url) (contains "entinelPassword=" $url) -}}
{{- fail "the URL of Redis contains a password: put the URL in a Secret and name it in redis.existingSecret" -}}
{{- end -}}
{{- if and $urls .Values.persistence.existingClaim -}}
{{- fail "persistence.existingClaim cannot be shared: with Redis each replica has a claim of its own" -}}
{{- end -}}
{{- if and .Values.persistence.existingClaim (not .Values.persistence.enabled) -}}
{{- fail "persistence.existingClaim contradicts persistence.enabled: false" -}}
{{- end -}}

{{- $timeout := toString (dig "delivery" "shutdownTimeout" "25s" $config) -}}
{{- $start := toDate "2006-01-02" "2000-01-01" -}}
{{- /* Go's form of durations, which is the configuration's; of another text, telemetryd complains. */ -}}
{{- $timeoutSeconds := ((dateModify $timeout $start).Sub $start).Seconds -}}
{{- if ge $timeoutSeconds (float64 .Values.terminationGracePeriodSeconds) -}}
{{- fail (printf "terminationGracePeriodSeconds: %d must be more than delivery.shutdownTimeout (%s)" (int .Values.terminationGracePeriodSeconds) $timeout) -}}
{{- end -}}
{{- end -}}
