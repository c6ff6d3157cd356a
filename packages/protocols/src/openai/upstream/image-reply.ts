import {
  type Fields,
  GatewayError,
  type ImagesReply,
  isObject,
  listOf,
  noUsage,
  someText,
  type Usage,
} from '@sluice/contract'
import { bodyOf } from '../../failure.ts'
import type { CodecContext, Received } from '../../protocol.ts'
import { readUsage } from '../../usage.ts'
import { createdOf } from './chat-reply.ts'

/** Reads the response of both image operations (OpenAI API, ImagesResponse). */
export function decodeImages(
  received: Received,
  context: CodecContext,
): { readonly reply: ImagesReply; readonly usage: Usage } {
  const body = bodyOf(received)
  const data = listOf(body['data']).filter(isObject).map(imageOf)
  if (data.length === 0) throw noImages()
  const reply: ImagesReply = {
    created: createdOf(body, context),
    data,
    ...reportedOptions(body),
    ...(isObject(body['usage']) ? { usage: body['usage'] } : {}),
  }
  return { reply, usage: imageUsage(body) }
}

/** Rejects an answer that is sent unchanged if it has no image. */
export function assertImages({ data }: Fields): void {
  if (Array.isArray(data) && data.length === 0) throw noImages()
}

function noImages(): GatewayError {
  return new GatewayError('upstream_garbled', 'The upstream answered without an image')
}

/** The usage of a response with images, including their number. */
export function imageUsage(body: Fields): Usage {
  const images = listOf(body['data']).filter(isObject).length
  return { ...noUsage, ...readUsage(body['usage']), images }
}

function imageOf(image: Fields): ImagesReply['data'][number] {
  return {
    url: someText(image['url']) ?? null,
    b64_json: someText(image['b64_json']) ?? null,
    revised_prompt: someText(image['revised_prompt']) ?? null,
  }
}

function reportedOptions(
  body: Fields,
): Pick<ImagesReply, 'background' | 'output_format' | 'size' | 'quality'> {
  const names = ['background', 'output_format', 'size', 'quality'] as const
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = someText(body[name])
      return text === undefined ? [] : [[name, text]]
    }),
  )
}
