import {
  type CreateImageRequest,
  type EditImageRequest,
  type Fields,
  imageOptions,
  invalidRequest,
} from '@sluice/contract'
import { isNeutral, withoutNull } from '../../neutral-values.ts'
import type { CodecContext } from '../../protocol.ts'

/**
 * The fields of an image request under OpenAI's names: the contract's `parameters` become top-level fields and its texts the
 * prompt. Images are handled by the caller of this function.
 */
export function imageFields(
  request: CreateImageRequest | EditImageRequest,
  context: CodecContext,
  knows: ReadonlySet<string>,
): Record<string, unknown> {
  const { model: _model, input, parameters, prompt, ...rest } = request
  const fields: Record<string, unknown> = {
    model: context.model,
    prompt: prompt ?? promptOf(input),
    ...rest,
    ...withoutNull(parameters ?? {}),
  }
  for (const name of ['image', 'images', 'mask']) delete fields[name]
  for (const name of ['negative_prompt', 'prompt_extend', 'watermark', 'seed']) {
    if (knows.has(name)) continue
    const value = fields[name]
    const path = parameters != null && name in parameters ? `parameters.${name}` : name
    if (!isNeutral(name, value)) context.unsupported(path)
    delete fields[name]
  }
  if (typeof fields['size'] === 'string') fields['size'] = fields['size'].replace('*', 'x')
  if (fields['stream'] === false) delete fields['stream']
  const quality = qualityAt(context.family, fields['quality'])
  if (quality !== undefined) fields['quality'] = quality
  if (alwaysBase64(context.family)) withoutResponseFormat(fields, context)
  return withoutNull(fields)
}

/** Models that return only base64 and reject `response_format` (OpenAI API, response_format of images). */
function alwaysBase64(model: string): boolean {
  return /^(chat)?gpt-image/.test(model)
}

/** What the models of each generation call the quality that the other calls so (OpenAI API, quality of images). */
const qualities: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [/^(chat)?gpt-image/, { standard: 'medium', hd: 'high' }],
  [/^dall-e/, { auto: 'standard', low: 'standard', medium: 'standard', high: 'hd' }],
]

/** A quality in the model's word; undefined if it has no other word for it. */
function qualityAt(model: string, quality: unknown): string | undefined {
  if (typeof quality !== 'string') return undefined
  return qualities.find(([models]) => models.test(model))?.[1][quality]
}

/** Whether the model accepts the request as it is. */
export function fitsImageModel(request: Fields, model = ''): boolean {
  if (alwaysBase64(model) && request['response_format'] != null) return false
  return qualityAt(model, request['quality']) === undefined
}

/** Whether a field that the operation has is null, which some upstreams refuse. */
export function hasNullOption(request: Fields): boolean {
  return (
    Object.keys(imageOptions).some((name) => request[name] === null) || request['style'] === null
  )
}

function withoutResponseFormat(fields: Record<string, unknown>, context: CodecContext): void {
  if (fields['response_format'] === 'url')
    context.unsupported('response_format', `${context.publicModel} answers images as base64 only`)
  delete fields['response_format']
}

function promptOf(input: CreateImageRequest['input']): string {
  const texts = (input?.messages ?? []).flatMap(({ content }) =>
    content.flatMap(({ text }) => (text === undefined || text === '' ? [] : [text])),
  )
  return texts.join('\n')
}

/** An image in a request: its address and its path. */
export interface ImageAddress {
  readonly url: string
  readonly param: string
}

/** The images of the contract's `input`, in order. */
export function inputImages(input: EditImageRequest['input']): readonly ImageAddress[] {
  return (input?.messages ?? []).flatMap(({ content }, message) =>
    content.flatMap(({ image }, index) =>
      image === undefined
        ? []
        : [{ url: image, param: `input.messages[${message}].content[${index}].image` }],
    ),
  )
}

/** Rejects images in a request to create an image. */
export function refuseImages(request: CreateImageRequest): void {
  const [image] = inputImages(request.input)
  if (image === undefined) return
  throw invalidRequest('Images are edited at /v1/images/edits, not created from', image.param)
}
