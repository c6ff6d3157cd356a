import { jsonRequest } from '../../json-request.ts'
import type { CodecContext, UpstreamRequest } from '../../protocol.ts'
import { escapeName, vertexPublisherPath } from '../../vertex-address.ts'

/** Returns the path for a method of a model, such as `generateContent`. */
export type AddressOf = (
  model: string,
  method: string,
  settings: Readonly<Record<string, string>>,
) => string

/** Gemini API: https://ai.google.dev/api. Names of tuned models contain their own collection. */
export const geminiAddress: AddressOf = (model, method) => {
  const [collection, ...rest] = model.split('/')
  const known = rest.length > 0 && (collection === 'models' || collection === 'tunedModels')
  const path = known ? `${collection}/${escapeName(rest.join('/'))}` : `models/${escapeName(model)}`
  return `/v1beta/${path}:${method}`
}

/** Vertex AI: https://cloud.google.com/vertex-ai/docs/reference/rest. */
export const vertexAddress: AddressOf = (model, method, settings) =>
  vertexPublisherPath('google', `${escapeName(model)}:${method}`, settings)

/** Calls a method of the model that the context names. */
export function callModel(
  address: AddressOf,
  method: string,
  value: unknown,
  { model, settings }: CodecContext,
): UpstreamRequest {
  return jsonRequest(address(model, method, settings), value)
}
