{{/* The pod of the Deployment and of the StatefulSet; the volume "state" is theirs. */}}
{{- define "telemetryd.pod" -}}
metadata:
  labels:
    {{- include "telemetryd.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # A changed configuration restarts the pods.
    checksum/configuration: {{ include "telemetryd.configuration" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "telemetryd.serviceAccount" . }}
  automountServiceAccountToken: {{ .Values.clusterPolicies }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
  {{- else if include "telemetryd.fleet" . }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "telemetryd.selector" . | nindent 10 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: telemetryd
      image: {{ include "telemetryd.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [run, --config, /etc/telemetryd/telemetryd.yaml]
      {{- if or .Values.redis.existingSecret .Values.extraEnv }}
      env:
        {{- with .Values.redis.existingSecret }}
        - name: TELEMETRYD_REDIS_URL
          valueFrom:
            secretKeyRef: { name: {{ . }}, key: {{ $.Values.redis.existingSecretKey }} }
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      ports:
        - { name: ops, containerPort: 9464 }
        {{- range include "telemetryd.listeners" . | fromYamlArray }}
        - { name: {{ .name }}, containerPort: {{ .port }} }
        {{- end }}
      livenessProbe:
        httpGet: { path: /healthz, port: ops }
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        httpGet: { path: /readyz, port: ops }
        periodSeconds: 5
        timeoutSeconds: 5
      startupProbe:
        httpGet: { path: /healthz, port: ops }
        periodSeconds: 1
        failureThreshold: 60
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        readOnlyRootFilesystem: true
        allowPrivilegeEscalation: false
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: configuration, mountPath: /etc/telemetryd, readOnly: true }
        {{- if .Values.clusterPolicies }}
        - { name: kubeconfig, mountPath: /etc/telemetryd-kubeconfig, readOnly: true }
        {{- end }}
        - { name: state, mountPath: /data }
        {{- range $index, $name := .Values.existingSecrets }}
        - { name: secret-{{ $index }}, mountPath: /etc/telemetryd-secrets/{{ $name }}, readOnly: true }
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: configuration
      configMap: { name: {{ include "telemetryd.fullname" . }} }
    {{- if .Values.clusterPolicies }}
    - name: kubeconfig
      configMap: { name: {{ include "telemetryd.fullname" . }}-kubeconfig }
    {{- end }}
    {{- range $index, $name := .Values.existingSecrets }}
    - name: secret-{{ $index }}
      secret: { secretName: {{ $name }} }
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- if not .Values.persistence.enabled }}
    - name: state
      emptyDir: {}
    {{- else if not (include "telemetryd.fleet" .) }}
    # Checkpoints and journals.
    - name: state
      persistentVolumeClaim: { claimName: {{ .Values.persistence.existingClaim | default (printf "%s-state" (include "telemetryd.fullname" .)) }} }
    {{- end }}
{{- end -}}
