import type { CreateImageRequest, EditImageRequest } from '@sluice/contract'
import { generationOf } from '../../families/gemini.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { CodecContext } from '../../protocol.ts'
import type { Part } from '../generate-content.ts'
import { type ImageShape, imageShape } from './image-size.ts'

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
