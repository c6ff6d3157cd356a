import { type TSchema, Type } from 'typebox'

/** A field that may be absent or null: both mean the same for OpenAI clients. */
export function optional<S extends TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

/** One of several words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words] })
}

/** An uploaded file, or one that came as a data URL. Its bytes are in memory, limited by the maximum body size. */
export interface UploadedFile {
  readonly filename: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** The schema of an uploaded file: an object whose `bytes` the form reader has filled. */
export const FileField = Type.Unsafe<UploadedFile>({
  type: 'object',
  required: ['filename', 'contentType', 'bytes'],
  properties: { filename: { type: 'string' }, contentType: { type: 'string' } },
  contentMediaType: 'application/octet-stream',
})

/** An image that is not uploaded. */
export const ImageReference = Type.Object({
  image_url: optional(Type.String()),
  file_id: optional(Type.String()),
})

/** OpenAI takes up to 4, Gemini 5, and Anthropic any number; the gateway itself ends a text at those that a target does not take. */
export const StopSequences = Type.Array(Type.String(), { maxItems: 64 })

/** Any JSON object. */
export const AnyObject = Type.Record(Type.String(), Type.Unknown())

/** An event whose `type` names it, such as `transcript.text.delta` (OpenAI API). */
export const TypedEvent = Type.Intersect([Type.Object({ type: Type.String() }), AnyObject])
export type TypedEvent = { readonly type: string } & Readonly<Record<string, unknown>>
