import { type Static, Type } from 'typebox'
import { GatewayError, invalidRequest } from '../core/errors.ts'
import { audioBytesMax, TranscriptReply, transcriptFormats } from './audio-reply.ts'
import { operation } from './operation.ts'
import { AnyObject, FileField, oneOf, optional, TypedEvent } from './schema.ts'

/** Form fields; arrays arrive as repeated `name[]` or `name` parts (OpenAI API, CreateTranscriptionRequest). */
export const TranscribeRequest = Type.Object({
  file: FileField,
  model: Type.String({ minLength: 1 }),
  language: optional(Type.String()),
  prompt: optional(Type.String()),
  response_format: optional(oneOf([...transcriptFormats, 'diarized_json'])),
  temperature: optional(Type.Number({ minimum: 0, maximum: 1 })),
  timestamp_granularities: optional(Type.Array(oneOf(['word', 'segment']))),
  include: optional(Type.Array(oneOf(['logprobs']))),
  stream: optional(Type.Boolean()),
  chunking_strategy: optional(Type.Union([Type.String(), AnyObject])),
  known_speaker_names: optional(Type.Array(Type.String(), { maxItems: 4 })),
  known_speaker_references: optional(Type.Array(Type.String(), { maxItems: 4 })),
  languages: optional(Type.Array(Type.String())),
  keywords: optional(Type.Array(Type.String())),
})
export type TranscribeRequest = Static<typeof TranscribeRequest>
export type TranscribeReply = Static<typeof TranscriptReply>

export const transcribe = operation({
  summary: 'Transcribe audio',
  tag: 'Audio',
  method: 'POST',
  paths: ['/v1/audio/transcriptions'],
  body: 'multipart',
  request: TranscribeRequest,
  reply: TranscriptReply,
  event: Type.Unsafe<TypedEvent>(TypedEvent),
  check(request) {
    checkAudioFile(request)
    const { timestamp_granularities: granularities, response_format: format } = request
    if (granularities != null && granularities.length > 0 && format !== 'verbose_json')
      throw invalidRequest(
        'timestamp_granularities needs response_format verbose_json',
        'timestamp_granularities',
      )
  },
})

/** Rejects an upload that is empty or too large. */
export function checkAudioFile({ file }: { readonly file: { readonly bytes: Uint8Array } }): void {
  if (file.bytes.length > audioBytesMax)
    throw new GatewayError(
      'too_large',
      `The audio file has ${file.bytes.length} bytes; the limit is ${audioBytesMax}`,
      { param: 'file' },
    )
  if (file.bytes.length === 0) throw invalidRequest('The audio file is empty', 'file')
}
