import { type Static, Type } from 'typebox'
import { invalidRequest, missingParameter } from '../core/errors.ts'
import { ImageInput, ImageParameters, imageOptions } from './create-image.ts'
import { ImagesReply } from './image-reply.ts'
import { operation } from './operation.ts'
import { FileField, ImageReference, oneOf, optional, TypedEvent } from './schema.ts'

/**
 * Three forms in one: the contract's JSON (`input`, `parameters`), OpenAI multipart (`image` files, `mask`, `prompt`) and
 * OpenAI JSON (`images`, `mask`, `prompt`). Uploaded files arrive as `image`.
 */
export const EditImageRequest = Type.Object({
  /** May be absent if the images are uploaded, as at OpenAI. */
  model: optional(Type.String({ minLength: 1 })),
  input: optional(ImageInput),
  parameters: optional(ImageParameters),
  prompt: optional(Type.String({ minLength: 1, maxLength: 32_000 })),
  image: optional(Type.Array(FileField, { minItems: 1, maxItems: 16 })),
  images: optional(Type.Array(ImageReference, { minItems: 1, maxItems: 16 })),
  /** An uploaded file, or a reference in JSON. */
  mask: optional(Type.Union([FileField, ImageReference])),
  input_fidelity: optional(oneOf(['high', 'low'])),
  watermark: optional(Type.Boolean()),
  ...imageOptions,
})
export type EditImageRequest = Static<typeof EditImageRequest>

export const editImage = operation({
  summary: 'Edit images according to a prompt',
  tag: 'Images',
  method: 'POST',
  paths: ['/v1/images/edits'],
  body: 'json-or-multipart',
  request: EditImageRequest,
  reply: ImagesReply,
  event: Type.Unsafe<TypedEvent>(TypedEvent),
  check(request) {
    if (request.model == null && request.image == null) throw missingParameter('model')
    if (request.input != null) return checkInput(request.input)
    if (request.image == null && request.images == null) throw missingParameter('image')
    if (request.prompt == null) throw missingParameter('prompt')
    for (const [index, reference] of (request.images ?? []).entries())
      if (reference.image_url == null && reference.file_id == null)
        throw missingParameter(`images[${index}].image_url`)
  },
})

/** DashScope: one user message with one to three images and one text (Model Studio, qwen-image-edit API). */
function checkInput({ messages }: Static<typeof ImageInput>): void {
  const parts = messages.flatMap(({ content }, message) =>
    content.map((part, index) => ({ part, path: `input.messages[${message}].content[${index}]` })),
  )
  for (const { part, path } of parts)
    if ((part.image === undefined) === (part.text === undefined))
      throw invalidRequest('A content item holds either image or text', path)
  const images = parts.filter(({ part }) => part.image !== undefined)
  if (images.length === 0) throw missingParameter('input.messages[0].content')
  if (images.length > 3)
    throw invalidRequest('At most three images can be edited at once', images[3]?.path ?? 'input')
  if (!parts.some(({ part }) => part.text !== undefined && part.text !== ''))
    throw missingParameter('input.messages[0].content')
}
