import type { CreateImageRequest, EditImageRequest } from '@sluice/contract'
import { generationOf } from '../../families/gemini.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { CodecContext } from '../../protocol.ts'
import type { Part } from '../generate-content.ts'

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
    (family === 'gemini' ? generationOf(context.model) < 3 : shape.imageSize === '4K')
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
  const sized = generationOf(context.model) >= 3
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
