import type { CreateImageRequest, EditImageRequest } from '@sluice/contract'
import type { CodecContext } from '../../protocol.ts'
import type { Part } from '../generate-content.ts'
import { type ImageShape, imageShape } from './image-size.ts'
import { generationOf } from './model-generation.ts'

type ImageRequest = CreateImageRequest | EditImageRequest

/** All texts of a request, whichever of its forms it has. */
export function promptOf({ prompt, input }: ImageRequest): string {
  const texts = input?.messages.flatMap(({ content }) => content.map(({ text }) => text)) ?? []
  return [prompt, ...texts].filter((text) => text != null && text !== '').join('\n')
}

/** How many pictures: OpenAI's field, or DashScope's. */
export function countOfImages({ n, parameters }: ImageRequest): number {
  return n ?? parameters?.n ?? 1
}

/** Options that neither family of models has; values that ask for nothing are no options. */
export function refuseOptions(request: ImageRequest, context: CodecContext): void {
  const { parameters } = request
  const asked: Readonly<Record<string, unknown>> = {
    quality: request.quality === 'auto' || request.quality === 'standard' ? null : request.quality,
    background: request.background === 'auto' ? null : request.background,
    moderation: request.moderation === 'auto' ? null : request.moderation,
    style: 'style' in request ? request.style : null,
    input_fidelity: 'input_fidelity' in request ? request.input_fidelity : null,
    mask: 'mask' in request ? request.mask : null,
    watermark: 'watermark' in request && request.watermark === true ? true : null,
    'parameters.watermark': parameters?.watermark === true ? true : null,
    'parameters.negative_prompt': parameters?.negative_prompt || null,
    'parameters.prompt_extend': parameters?.prompt_extend === true ? true : null,
  }
  for (const [param, value] of Object.entries(asked)) if (value != null) context.unsupported(param)
}

/** The shape asked for; undefined for `auto` and for none. Says `unsupported` of one that no model draws. */
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

/** generateContent for a picture (Gemini API, image generation guide). */
export function pictureBody(
  request: ImageRequest,
  images: readonly Part[],
  context: CodecContext,
): unknown {
  refuseOptions(request, context)
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
