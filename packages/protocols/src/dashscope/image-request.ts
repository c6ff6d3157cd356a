import type { CreateImageRequest, EditImageRequest } from '@sluice/contract'
import type { CodecContext, UpstreamRequest } from '../protocol.ts'

type ImageRequest = CreateImageRequest | EditImageRequest
export type ImageContent = { readonly image: string } | { readonly text: string }

/**
 * A synchronous image request (Model Studio, Qwen image edit API): one user message with images and one text. The `input` of
 * the gateway's API is sent unchanged; its `parameters` take precedence over OpenAI's fields.
 */
export function imageTask(
  request: ImageRequest,
  content: readonly ImageContent[],
  context: CodecContext,
): UpstreamRequest {
  if (request.response_format === 'b64_json')
    context.unsupported('response_format', 'DashScope answers with addresses, valid for a day')
  return {
    method: 'POST',
    path: '/api/v1/services/aigc/multimodal-generation/generation',
    body: {
      kind: 'json',
      value: {
        model: context.model,
        input: request.input ?? { messages: [{ role: 'user', content }] },
        parameters: parametersOf(request),
      },
    },
  }
}

function parametersOf(request: ImageRequest): Readonly<Record<string, unknown>> {
  const { n, size, seed } = request
  const watermark = 'watermark' in request ? request.watermark : undefined
  const merged = { n, size: size === 'auto' ? null : size, seed, watermark, ...request.parameters }
  return Object.fromEntries(
    Object.entries(merged)
      .filter(([, value]) => value != null)
      .map(([name, value]) => [name, name === 'size' ? String(value).replace('x', '*') : value]),
  )
}
