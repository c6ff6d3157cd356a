import { GatewayError } from '@sluice/contract'

/** Where a method of a model is, such as `generateContent`. */
export type AddressOf = (
  model: string,
  method: string,
  settings: Readonly<Record<string, string>>,
) => string

/** Gemini API: https://ai.google.dev/api. Tuned models name their own collection. */
export const geminiAddress: AddressOf = (model, method) => {
  const [collection, ...rest] = model.split('/')
  const known = rest.length > 0 && (collection === 'models' || collection === 'tunedModels')
  const path = known ? `${collection}/${escape(rest.join('/'))}` : `models/${escape(model)}`
  return `/v1beta/${path}:${method}`
}

/** Vertex AI: https://cloud.google.com/vertex-ai/docs/reference/rest. */
export const vertexAddress: AddressOf = (model, method, settings) =>
  vertexPublisherPath('google', `${escape(model)}:${method}`, settings)

export function vertexPublisherPath(
  publisher: string,
  modelAndMethod: string,
  settings: Readonly<Record<string, string>>,
): string {
  const { project, region, apiVersion } = settings
  if (!project)
    throw new GatewayError('internal', 'Vertex AI needs the setting `project`, the Google project')
  const place = `projects/${escape(project)}/locations/${escape(region || 'global')}`
  return `/${escape(apiVersion || 'v1')}/${place}/publishers/${publisher}/models/${modelAndMethod}`
}

/** Names are configured or written by callers; none may leave its place in the path. Vertex versions use `@`. */
export function escape(name: string): string {
  return encodeURIComponent(name).replaceAll('%40', '@')
}
