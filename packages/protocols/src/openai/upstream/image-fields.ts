import { type CreateImageRequest, type EditImageRequest, invalidRequest } from '@sluice/contract'
import { isNeutral } from '../../neutral-values.ts'
import type { CodecContext } from '../../protocol.ts'

/**
 * The fields of an image request in OpenAI's names: the contract's `parameters` become top-level fields, its texts the
 * prompt. Images are left to the caller of this function.
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
  if (alwaysBase64(context.model)) withoutResponseFormat(fields, context)
  return withoutNull(fields)
}

/** The models that answer base64 only and refuse to be told (OpenAI API, response_format of images). */
function alwaysBase64(model: string): boolean {
  return /^(chat)?gpt-image/.test(model)
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

function withoutNull(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  )
}

/** An image in a request: where it stands, and its address or the upload itself. */
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

/** A request to create an image holds none. */
export function refuseImages(request: CreateImageRequest): void {
  const [image] = inputImages(request.input)
  if (image === undefined) return
  throw invalidRequest('Images are edited at /v1/images/edits, not created from', image.param)
}
