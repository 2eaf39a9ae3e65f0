{{/* What the configuration serves besides the ops address, by the name of its port: [{ name, port }]. */}}
{{- define "telemetryd.listeners" -}}
{{- $listeners := list -}}
{{- range $name, $key := dict
  "api" (list "api" "listen" "8080")
  "gateway-http" (list "gateway" "listen" "8082")
  "gateway-https" (list "gateway" "tlsListen" "8443")
  "platform" (list "platform" "listen" "8081") -}}
{{- $section := get $.Values.config (first $key) -}}
{{- if kindIs "map" $section -}}
{{- $address := toString (get $section (index $key 1)) -}}
{{- if not (regexMatch "^(0\\.0\\.0\\.0|\\[::\\])?:[1-9][0-9]*$" $address) -}}
{{- /* The defaults are loopback addresses. */ -}}
{{- fail (printf "config.%s.%s must be a port on all addresses, such as :%s: nothing outside of the pod reaches another" (first $key) (index $key 1) (last $key)) -}}
{{- end -}}
{{- $listeners = append $listeners (dict "name" $name "port" (int (regexFind "[0-9]+$" $address))) -}}
{{- end -}}
{{- end -}}
{{- toYaml $listeners -}}
{{- end -}}
