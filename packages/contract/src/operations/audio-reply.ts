import { Type } from 'typebox'
import { AnyObject } from './schema.ts'

/** JSON forms of a transcript: `json` has text and usage, `verbose_json` and `diarized_json` have the rest as well. */
export const TranscriptReply = Type.Object({
  text: Type.String(),
  task: Type.Optional(Type.String()),
  language: Type.Optional(Type.String()),
  duration: Type.Optional(Type.Number()),
  segments: Type.Optional(Type.Array(AnyObject)),
  words: Type.Optional(
    Type.Array(Type.Object({ word: Type.String(), start: Type.Number(), end: Type.Number() })),
  ),
  logprobs: Type.Optional(Type.Array(AnyObject)),
  usage: Type.Optional(AnyObject),
})

export const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const

/** The largest audio upload, in bytes: OpenAI's own limit of 25 MB. */
export const audioBytesMax = 26_214_400
