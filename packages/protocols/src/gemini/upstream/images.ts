import {
  type CreateImageRequest,
  type EditImageRequest,
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
import { generationOf } from '../../families/gemini.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { CodecContext, Decoded, Received } from '../../protocol.ts'
import { finishReasonOf, blockReasonOf } from '../finish-reasons.ts'
import type { Part } from '../generate-content.ts'
import { readUsage } from '../usage.ts'
import { readParts } from './candidate.ts'
import { bodyOf } from './failure.ts'

type ImageRequest = CreateImageRequest | EditImageRequest

/** All texts of a request, in whichever form it is. */
export function promptOf({ prompt, input }: ImageRequest): string {
  const texts = input?.messages.flatMap(({ content }) => content.map(({ text }) => text)) ?? []
  return [prompt, ...texts].filter((text) => text != null && text !== '').join('\n')
}

/** The number of images, from OpenAI's or DashScope's field. */
export function countOfImages({ n, parameters }: ImageRequest): number {
  return n ?? parameters?.n ?? 1
}

/** Rejects DashScope's options that neither family of models supports. */
export function refuseParameters({ parameters }: ImageRequest, context: CodecContext): void {
  for (const field of ['watermark', 'negative_prompt', 'prompt_extend'] as const)
    if (!isNeutral(field, parameters?.[field])) context.unsupported(`parameters.${field}`)
}

/**
 * The requested aspect ratio and size; undefined if there is none or it is `auto`. Reports as unsupported what no model can
 * make.
 */
export function shapeOf(
  request: ImageRequest,
  family: 'gemini' | 'imagen',
  context: CodecContext,
): ImageShape | undefined {
  const param = request.size == null ? 'parameters.size' : 'size'
  const size = request.size ?? request.parameters?.size
  if (size == null || size === 'auto') return undefined
  const shape = imageShape(size, family)
  const isTooLarge =
    shape !== undefined &&
    shape.imageSize !== '1K' &&
    (family === 'gemini' ? generationOf(context.family) < 3 : shape.imageSize === '4K')
  if (shape !== undefined && !isTooLarge) return shape
  context.unsupported(param, isTooLarge ? 'it is too large for the model' : 'no such shape')
  return undefined
}

/** The body of a generateContent request for an image (Gemini API, image generation guide). */
export function pictureBody(
  request: ImageRequest,
  images: readonly Part[],
  context: CodecContext,
): unknown {
  refuseParameters(request, context)
  for (const param of ['output_format', 'output_compression'] as const)
    if (request[param] != null) context.unsupported(param)
  const shape = shapeOf(request, 'gemini', context)
  const seed = request.seed ?? request.parameters?.seed
  const sized = generationOf(context.family) >= 3
  return {
    contents: [{ role: 'user', parts: [...images, { text: promptOf(request) }] }],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      ...(seed == null ? {} : { seed }),
      ...(shape === undefined
        ? {}
        : {
            imageConfig: {
              aspectRatio: shape.aspectRatio,
              ...(sized ? { imageSize: shape.imageSize } : {}),
            },
          }),
    },
  }
}

/** Aspect ratios that Gemini's image models support (Gemini API, image generation guide). */
const geminiRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']

/** Aspect ratios that Imagen supports. */
const imagenRatios = ['1:1', '3:4', '4:3', '9:16', '16:9']

interface ImageShape {
  readonly aspectRatio: string
  /** 1K, 2K or 4K: the approximate length of the longer side. */
  readonly imageSize: string
}

/** The aspect ratio and size for a size such as `1536x1024`; undefined if the models do not support its aspect ratio. */
function imageShape(size: string, family: 'gemini' | 'imagen'): ImageShape | undefined {
  const [width = 0, height = 0] = size.split(/[x*:]/).map(Number)
  const divisor = greatestDivisor(width, height)
  const aspectRatio = `${width / divisor}:${height / divisor}`
  const known = family === 'gemini' ? geminiRatios : imagenRatios
  if (!known.includes(aspectRatio)) return undefined
  const edge = Math.max(width, height)
  return { aspectRatio, imageSize: edge > 3000 ? '4K' : edge > 1600 ? '2K' : '1K' }
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? Math.max(1, left) : greatestDivisor(right, left % right)
}

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
