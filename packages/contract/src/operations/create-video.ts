import { type Static, Type } from 'typebox'
import { operation } from './operation.ts'
import { FileField, ImageReference, optional } from './schema.ts'
import { Video } from './video.ts'

/** OpenAI API, CreateVideoBody. `seconds` is a string there; numbers are accepted too. */
export const CreateVideoRequest = Type.Object({
  model: optional(Type.String({ minLength: 1 })),
  prompt: Type.String({ minLength: 1, maxLength: 32_000 }),
  input_reference: optional(Type.Union([FileField, ImageReference])),
  /** Default "4". */
  seconds: optional(
    Type.Union([
      Type.String({
        pattern: '^[1-9]\\d{0,3}$',
        description: 'a whole number of seconds from 1 to 9999',
      }),
      Type.Integer({ minimum: 1, maximum: 3600 }),
    ]),
  ),
  /** Default "720x1280". */
  size: optional(
    Type.String({
      pattern: '^\\d{2,4}x\\d{2,4}$',
      description: 'a width and a height, such as 720x1280',
    }),
  ),
})
export type CreateVideoRequest = Static<typeof CreateVideoRequest>

export const createVideo = operation({
  summary: 'Create a video task',
  tag: 'Videos',
  method: 'POST',
  paths: ['/v1/videos'],
  body: 'json-or-multipart',
  request: CreateVideoRequest,
  reply: Video,
  event: Type.Never(),
  example: { model: 'builtin-video', prompt: 'A yellow sun rises over the sea', seconds: '2' },
})
