{{- define "sluice.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "sluice.isSeveral" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) -}}true{{- end -}}
{{- end -}}

{{- /* networkPolicy.egressPorts, and the ports of the URLs in the settings: those of models, collectors and webhooks. */ -}}
{{- define "sluice.egressPorts" -}}
{{- $ports := list -}}
{{- range .Values.networkPolicy.egressPorts -}}
{{- $ports = append $ports (toString (int .)) -}}
{{- end -}}
{{- range regexFindAll "[a-z0-9+]+://[^/\\s\"',]+" (toYaml .Values.config) -1 -}}
{{- $port := regexFind ":[0-9]+$" . | trimPrefix ":" -}}
{{- if $port -}}
{{- $ports = append $ports $port -}}
{{- else if hasPrefix "http://" . -}}
{{- $ports = append $ports "80" -}}
{{- end -}}
{{- end -}}
{{- uniq $ports | join " " -}}
{{- end -}}
