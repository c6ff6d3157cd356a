import { GatewayError } from '@sluice/contract'

/**
 * The path of a publisher's model on Vertex AI (https://cloud.google.com/vertex-ai/docs/reference/rest), under the settings
 * `project` and `region` (default `global`).
 */
export function vertexPublisherPath(
  publisher: string,
  modelAndMethod: string,
  settings: Readonly<Record<string, string>>,
): string {
  const { region, apiVersion } = settings
  const project = escapeName(projectOf(settings))
  const place = `projects/${project}/locations/${escapeName(region || 'global')}`
  return `/${escapeName(apiVersion || 'v1')}/${place}/publishers/${publisher}/models/${modelAndMethod}`
}

/**
 * Escapes a name that is configured or written by a caller, so that it cannot leave its place in the path. Names of versions
 * on Vertex contain `@`.
 */
export function escapeName(name: string): string {
  return encodeURIComponent(name).replaceAll('%40', '@')
}

export function projectOf({ project }: Readonly<Record<string, string>>): string {
  if (project) return project
  throw new GatewayError('internal', 'Vertex AI needs the setting `project`, the Google project')
}
