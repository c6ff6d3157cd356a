import { type Static, Type } from 'typebox'
import { TranscriptReply, transcriptFormats } from './audio-reply.ts'
import { operation } from './operation.ts'
import { FileField, oneOf, optional } from './schema.ts'
import { checkAudioFile } from './transcribe.ts'

/** Form fields (OpenAI API, CreateTranslationRequest). The returned text is English. */
export const TranslateRequest = Type.Object({
  file: FileField,
  model: Type.String({ minLength: 1 }),
  prompt: optional(Type.String()),
  response_format: optional(oneOf(transcriptFormats)),
  temperature: optional(Type.Number({ minimum: 0, maximum: 1 })),
})
export type TranslateRequest = Static<typeof TranslateRequest>

export const translate = operation({
  summary: 'Translate audio into English text',
  tag: 'Audio',
  method: 'POST',
  paths: ['/v1/audio/translations'],
  body: 'multipart',
  request: TranslateRequest,
  reply: TranscriptReply,
  event: Type.Never(),
  check: checkAudioFile,
})
