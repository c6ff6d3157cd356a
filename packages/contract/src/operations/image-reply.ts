import { type Static, Type } from 'typebox'
import { AnyObject, optional } from './schema.ts'

/** The response of both image operations. Every entry has the contract's three keys, null for those that do not apply. */
export const ImagesReply = Type.Object({
  created: Type.Integer(),
  data: Type.Array(
    Type.Object({
      url: Type.Union([Type.String(), Type.Null()]),
      b64_json: Type.Union([Type.String(), Type.Null()]),
      revised_prompt: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  background: optional(Type.String()),
  output_format: optional(Type.String()),
  size: optional(Type.String()),
  quality: optional(Type.String()),
  usage: Type.Optional(AnyObject),
})
export type ImagesReply = Static<typeof ImagesReply>

/** The largest image uploads, in bytes: OpenAI's 50 MB, DashScope's 10 MB. */
export const imageBytesMax = 50 * 1024 * 1024
export const dashscopeImageBytesMax = 10 * 1024 * 1024
