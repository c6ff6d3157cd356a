import {
  type CreateImageRequest,
  type EditImageRequest,
  GatewayError,
  invalidRequest,
} from '@sluice/contract'
import type { Finish, OutputFormat, Size } from './picture.ts'

/** The options that determine the images themselves. */
export interface DrawingOptions {
  /** What to draw, or how to edit. */
  readonly prompt: string
  readonly negativePrompt: string
  /** Number of variants, 1 to 10. */
  readonly count: number
  /** Absent: the size of the first image, or 1,024 pixels each way. */
  readonly size?: Size | undefined
  /** Leaves the background out. The background of an edited image is not removed, which the response says. */
  readonly isTransparent: boolean
  readonly watermark: boolean
  readonly finish: Finish
}

/** The options of both image operations, for every form of the request. */
export interface ImageOptions extends DrawingOptions {
  /** Whether the response says what was understood. */
  readonly extend: boolean
  readonly asUrl: boolean
  /** Under the name that OpenAI's response uses. */
  readonly quality: 'low' | 'medium' | 'high'
}

type ImageRequest = Omit<CreateImageRequest, 'style'> & Pick<EditImageRequest, 'watermark'>

const qualities = {
  auto: 'high',
  low: 'low',
  medium: 'medium',
  high: 'high',
  standard: 'medium',
  hd: 'high',
} as const

const encodeQualities = { low: 60, medium: 80, high: 90 } as const

/** Throws invalid_request for a size that is not supported and unsupported_value for a transparent jpeg. */
export function imageOptions(request: ImageRequest): ImageOptions {
  const parameters = request.parameters ?? {}
  const isContractForm = request.input != null
  const quality = qualities[request.quality ?? 'auto']
  const format: OutputFormat = request.output_format ?? 'png'
  const isTransparent = request.background === 'transparent'
  if (isTransparent && format === 'jpeg')
    throw new GatewayError('unsupported_value', 'jpeg has no transparency; use png or webp', {
      param: 'background',
    })
  return {
    prompt: promptOf(request),
    negativePrompt: parameters.negative_prompt ?? '',
    count: parameters.n ?? request.n ?? 1,
    watermark: parameters.watermark ?? request.watermark ?? false,
    extend: parameters.prompt_extend ?? true,
    size: parseSize(parameters.size, 'parameters.size') ?? parseSize(request.size, 'size'),
    isTransparent,
    asUrl: (request.response_format ?? (isContractForm ? 'url' : 'b64_json')) === 'url',
    finish: {
      format,
      quality: request.output_compression ?? encodeQualities[quality],
      isOpaque: request.background === 'opaque',
      previews: request.stream === true ? (request.partial_images ?? 0) : 0,
    },
    quality,
  }
}

function promptOf({ prompt, input }: ImageRequest): string {
  if (input == null) return prompt ?? ''
  const texts = input.messages.flatMap(({ content }) => content.flatMap(({ text }) => text ?? []))
  return texts.join('\n')
}

const sideMin = 64
const sideMax = 2048

/** "WxH" or "W*H"; undefined for auto. */
function parseSize(text: string | null | undefined, param: string): Size | undefined {
  if (text == null || text === 'auto') return undefined
  const [width = 0, height = 0] = text.split(/[x*]/).map(Number)
  const fits = [width, height].every((side) => side >= sideMin && side <= sideMax)
  if (!fits)
    throw invalidRequest(`Width and height must each be ${sideMin} to ${sideMax} pixels`, param)
  return { width, height }
}
