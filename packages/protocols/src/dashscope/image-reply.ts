import {
  countOf,
  GatewayError,
  type ImagesReply,
  listOf,
  objectOf,
  someText,
} from '@sluice/contract'
import type { CodecContext, Received } from '../protocol.ts'
import { bodyOf } from './failure.ts'

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
