import { type Static, Type } from 'typebox'
import { operation } from './operation.ts'
import { oneOf, optional, TypedEvent } from './schema.ts'

/**
 * OpenAI API, CreateSpeechRequest. Other models read longer texts and speak in more formats: how much and which, each target
 * says itself.
 */
export const SpeakRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  input: Type.String({ minLength: 1, maxLength: 100_000 }),
  voice: optional(Type.Union([Type.String({ minLength: 1 }), Type.Object({ id: Type.String() })])),
  instructions: optional(Type.String({ maxLength: 4096 })),
  /** Default: that of the upstream; mp3 at OpenAI and at the built-in engine. */
  response_format: optional(Type.String({ minLength: 1, maxLength: 64 })),
  speed: optional(Type.Number({ minimum: 0.25, maximum: 4 })),
  stream_format: optional(oneOf(['audio', 'sse'])),
})
export type SpeakRequest = Static<typeof SpeakRequest>

export const speak = operation({
  summary: 'Generate speech from text',
  tag: 'Audio',
  method: 'POST',
  paths: ['/v1/audio/speech'],
  body: 'json',
  request: SpeakRequest,
  reply: Type.Never(),
  replyType: 'audio/mpeg',
  /** speech.audio.delta and speech.audio.done, with stream_format sse. */
  event: Type.Unsafe<TypedEvent>(TypedEvent),
  example: { model: 'builtin-speech', input: 'The gate is open.', voice: 'alloy' },
})
