import {
  type Fields,
  formatDataUrl,
  GatewayError,
  type ImagesReply,
  isObject,
  listOf,
  objectOf,
  someText,
  type Usage,
} from '@sluice/contract'
import type { CodecContext, Decoded, Received } from '../../protocol.ts'
import { finishReasonOf } from '../finish-reasons.ts'
import { readUsage } from '../usage.ts'
import { readParts } from './candidate.ts'
import { blockReasonOf } from './chat-reply.ts'
import { bodyOf } from './failure.ts'

interface ImageOptions {
  readonly context: CodecContext
  /** Images come inline. If the caller asked for a URL, the image is returned as a data URL. */
  readonly asUrl: boolean
}

/** The images among the parts of a generateContent response. */
export function decodePictures(received: Received, asked: ImageOptions): Decoded<'createImage'> {
  const body = bodyOf(received)
  const candidates = listOf(body['candidates']).filter(isObject)
  const urls = candidates.flatMap((candidate) =>
    readParts(candidate).images.map(({ image_url: image }) => image.url),
  )
  if (urls.length === 0) throw noPicture(body, candidates)
  const images = urls.map((url) => ({ url, revisedPrompt: null }))
  return answer(images, readUsage(body['usageMetadata']), asked)
}

/** Imagen's response (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api). */
export function decodePredictions(received: Received, asked: ImageOptions): Decoded<'createImage'> {
  const predictions = listOf(bodyOf(received)['predictions']).map(objectOf)
  const images = predictions.flatMap((prediction) => {
    const base64 = someText(prediction['bytesBase64Encoded'])
    const mimeType = someText(prediction['mimeType']) ?? 'image/png'
    const revisedPrompt = someText(prediction['prompt']) ?? null
    return base64 === undefined ? [] : [{ url: formatDataUrl(mimeType, base64), revisedPrompt }]
  })
  if (images.length === 0) {
    const reasons = predictions.map((each) => someText(each['raiFilteredReason'])).filter(Boolean)
    throw new GatewayError(
      'content_blocked',
      `The model drew nothing${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`,
    )
  }
  return answer(images, undefined, asked)
}

function noPicture(body: Fields, candidates: readonly Fields[]): GatewayError {
  const reason =
    blockReasonOf(body) ?? candidates.map((each) => someText(each['finishReason'])).find(Boolean)
  const isBlocked =
    candidates.length === 0
      ? reason !== undefined
      : finishReasonOf(reason ?? 'STOP', false) === 'content_filter'
  return isBlocked
    ? new GatewayError('content_blocked', `The model refused to draw this (${reason})`)
    : new GatewayError('upstream_garbled', 'The upstream sent an answer without a picture')
}

function answer(
  images: readonly { readonly url: string; readonly revisedPrompt: string | null }[],
  usage: Usage | undefined,
  { context, asUrl }: ImageOptions,
): Decoded<'createImage'> {
  const reply: ImagesReply = {
    created: Math.floor(context.now() / 1000),
    data: images.map(({ url, revisedPrompt }) => ({
      url: asUrl ? url : null,
      b64_json: asUrl ? null : url.slice(url.indexOf(',') + 1),
      revised_prompt: revisedPrompt,
    })),
  }
  if (usage === undefined)
    return { reply, usage: { inputTokens: 0, outputTokens: 0, images: images.length } }
  const { inputTokens, outputTokens } = usage
  return {
    reply: {
      ...reply,
      usage: {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
      },
    },
    usage: { ...usage, images: images.length },
  }
}
