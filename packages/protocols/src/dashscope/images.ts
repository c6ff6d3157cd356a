import {
  countOf,
  type CreateImageRequest,
  type EditImageRequest,
  type Fields,
  GatewayError,
  type ImagesReply,
  listOf,
  objectOf,
  someText,
} from '@sluice/contract'
import { jsonRequest } from '../json-request.ts'
import type { CodecContext, Received, UpstreamRequest } from '../protocol.ts'
import { bodyOf } from './failure.ts'

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
  return jsonRequest('/api/v1/services/aigc/multimodal-generation/generation', {
    model: context.model,
    input: request.input ?? { messages: [{ role: 'user', content }] },
    parameters: parametersOf(request),
  })
}

function parametersOf(request: ImageRequest): Fields {
  const { n, size, seed } = request
  const watermark = 'watermark' in request ? request.watermark : undefined
  const merged = { n, size: size === 'auto' ? null : size, seed, watermark, ...request.parameters }
  return Object.fromEntries(
    Object.entries(merged)
      .filter(([, value]) => value != null)
      .map(([name, value]) => [name, name === 'size' ? String(value).replace('x', '*') : value]),
  )
}

/** One entry per image, although all images of a request are items of the same choice. Texts are the revised prompt. */
export function decodeImages(received: Received, context: CodecContext) {
  const body = bodyOf(received)
  const usage = objectOf(body['usage'])
  const data = listOf(objectOf(body['output'])['choices']).flatMap((choice) => {
    const items = listOf(objectOf(objectOf(choice)['message'])['content']).map(objectOf)
    const revised = items.flatMap(({ text }) => someText(text) ?? []).join('\n')
    return items
      .flatMap(({ image }) => someText(image) ?? [])
      .map((image) => entryOf(image, revised === '' ? null : revised))
  })
  if (data.length === 0)
    throw new GatewayError('upstream_garbled', 'DashScope answered without an image')
  const width = countOf(usage['width'])
  const height = countOf(usage['height'])
  const reply: ImagesReply = {
    created: Math.floor(context.now() / 1000),
    data,
    ...(width === undefined || height === undefined ? {} : { size: `${width}x${height}` }),
  }
  const images = countOf(usage['image_count']) ?? data.length
  return { reply, usage: { inputTokens: 0, outputTokens: 0, images } }
}

/** A web address, or the image itself as base64. */
function entryOf(image: string, revised: string | null): ImagesReply['data'][number] {
  const isAddress = /^https?:/i.test(image)
  return {
    url: isAddress ? image : null,
    b64_json: isAddress ? null : image.replace(/^data:[^,]*,/, ''),
    revised_prompt: revised,
  }
}
