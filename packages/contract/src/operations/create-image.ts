import { type Static, Type } from 'typebox'
import { invalidRequest, missingParameter } from '../core/errors.ts'
import { ImagesReply } from './image-reply.ts'
import { operation } from './operation.ts'
import { oneOf, optional, TypedEvent } from './schema.ts'

/** The contract's form that resembles DashScope's: messages with images and texts. */
export const ImageInput = Type.Object({
  messages: Type.Array(
    Type.Object({
      role: Type.String(),
      content: Type.Array(
        Type.Object({ image: Type.Optional(Type.String()), text: Type.Optional(Type.String()) }),
        { minItems: 1 },
      ),
    }),
    { minItems: 1 },
  ),
})

export const ImageParameters = Type.Object({
  n: optional(Type.Integer({ minimum: 1, maximum: 6 })),
  negative_prompt: optional(Type.String()),
  prompt_extend: optional(Type.Boolean()),
  watermark: optional(Type.Boolean()),
  size: optional(
    Type.String({
      pattern: '^\\d{2,5}[x*]\\d{2,5}$',
      description: 'a width and a height, such as 1024x1024 or 1024*1024',
    }),
  ),
  seed: optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
})

/** What both image operations share (OpenAI API, CreateImageRequest and CreateImageEditRequest). */
export const imageOptions = {
  n: optional(Type.Integer({ minimum: 1, maximum: 10 })),
  /** Not all models name the pixels: some take a resolution or a proportion, which the others refuse. */
  size: optional(
    Type.String({
      pattern: '^(auto|\\d{2,5}[x*]\\d{2,5}|\\d(\\.\\d)?[kK]|\\d{1,2}:\\d{1,2})$',
      description:
        'auto, a width and a height such as 1024x1024, a resolution such as 2K or a proportion such as 16:9',
    }),
  ),
  quality: optional(oneOf(['auto', 'low', 'medium', 'high', 'standard', 'hd'])),
  background: optional(oneOf(['transparent', 'opaque', 'auto'])),
  output_format: optional(oneOf(['png', 'jpeg', 'webp'])),
  output_compression: optional(Type.Integer({ minimum: 0, maximum: 100 })),
  response_format: optional(oneOf(['url', 'b64_json'])),
  moderation: optional(oneOf(['low', 'auto'])),
  stream: optional(Type.Boolean()),
  partial_images: optional(Type.Integer({ minimum: 0, maximum: 3 })),
  user: optional(Type.String()),
  seed: optional(Type.Integer({ minimum: 0 })),
}

export const CreateImageRequest = Type.Object({
  model: optional(Type.String({ minLength: 1 })),
  prompt: optional(Type.String({ minLength: 1, maxLength: 32_000 })),
  input: optional(ImageInput),
  parameters: optional(ImageParameters),
  style: optional(oneOf(['vivid', 'natural'])),
  ...imageOptions,
})
export type CreateImageRequest = Static<typeof CreateImageRequest>

export const createImage = operation({
  summary: 'Create images from a prompt',
  tag: 'Images',
  method: 'POST',
  paths: ['/v1/images/generations'],
  body: 'json',
  request: CreateImageRequest,
  reply: ImagesReply,
  event: Type.Unsafe<TypedEvent>(TypedEvent),
  example: { model: 'builtin-image', prompt: 'A red circle above a blue sea', size: '512x512' },
  check(request) {
    for (const [message, { content }] of (request.input?.messages ?? []).entries())
      for (const [index, { image, text }] of content.entries())
        if (image === undefined && text === undefined)
          throw invalidRequest(
            'A content item holds either image or text',
            `input.messages[${message}].content[${index}]`,
          )
    if (request.prompt != null) return
    const texts = request.input?.messages.flatMap(({ content }) => content) ?? []
    if (texts.some(({ text }) => text !== undefined && text !== '')) return
    throw missingParameter(request.input == null ? 'prompt' : 'input.messages[0].content')
  },
})
