import { GatewayError } from '@sluice/contract'

/**
 * Where a publisher's model is on Vertex AI (https://cloud.google.com/vertex-ai/docs/reference/rest), below the settings
 * `project` and `region` (default `global`).
 */
export function vertexPublisherPath(
  publisher: string,
  modelAndMethod: string,
  settings: Readonly<Record<string, string>>,
): string {
  const { project, region, apiVersion } = settings
  if (!project)
    throw new GatewayError('internal', 'Vertex AI needs the setting `project`, the Google project')
  const place = `projects/${escapeName(project)}/locations/${escapeName(region || 'global')}`
  return `/${escapeName(apiVersion || 'v1')}/${place}/publishers/${publisher}/models/${modelAndMethod}`
}

/** Names are configured or written by callers; none may leave its place in the path. Vertex versions use `@`. */
export function escapeName(name: string): string {
  return encodeURIComponent(name).replaceAll('%40', '@')
}
