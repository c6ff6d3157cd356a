import {
  type Cue,
  formatSrt,
  formatVtt,
  type TranscribeReply,
  type TranscribeRequest,
  type Usage,
} from '@sluice/contract'
import type { Decoded } from './protocol.ts'

export interface SpokenWord {
  readonly word: string
  /** In seconds. */
  readonly start: number
  readonly end: number
  readonly speaker?: string | undefined
}

/** A transcript of an upstream, in a common form. */
export interface Heard {
  readonly text: string
  readonly language?: string | undefined
  /** In seconds. */
  readonly duration?: number | undefined
  readonly words: readonly SpokenWord[]
  /** Segments of speech; if the upstream gives none, they are made from the words. */
  readonly cues?: readonly (Cue & { readonly speaker?: string | undefined })[]
}

/** A transcript in the requested format: one of three kinds of JSON, plain text or subtitles. */
export function renderTranscript(heard: Heard, request: TranscribeRequest): Decoded<'transcribe'> {
  const usage = usageOf(heard)
  const cues = heard.cues ?? cuesOf(heard.words)
  const counted = heard.duration === undefined ? {} : { usage }
  switch (request.response_format) {
    case 'text':
      return { reply: { text: heard.text }, rendered: plain(`${heard.text}\n`), ...counted }
    case 'srt':
      return { reply: { text: heard.text }, rendered: plain(formatSrt(cues)), ...counted }
    case 'vtt': {
      const rendered = { ...plain(formatVtt(cues)), contentType: 'text/vtt; charset=utf-8' }
      return { reply: { text: heard.text }, rendered, ...counted }
    }
    case 'verbose_json':
      return { reply: { ...verbose(heard, cues, request), ...durationOf(heard) }, ...counted }
    case 'diarized_json':
      return { reply: { ...diarized(heard, cues), ...durationOf(heard) }, ...counted }
    default:
      return { reply: { text: heard.text, ...durationOf(heard) }, ...counted }
  }
}

function plain(text: string) {
  return { contentType: 'text/plain; charset=utf-8', bytes: new TextEncoder().encode(text) }
}

function usageOf({ duration = 0 }: Heard): Usage {
  return { inputTokens: 0, outputTokens: 0, seconds: duration }
}

function durationOf({ duration }: Heard): Pick<TranscribeReply, 'usage'> {
  return duration === undefined ? {} : { usage: { type: 'duration', seconds: Math.ceil(duration) } }
}

function verbose(
  heard: Heard,
  cues: readonly Cue[],
  { timestamp_granularities: wanted }: TranscribeRequest,
): TranscribeReply {
  const granularities = wanted ?? ['segment']
  return {
    task: 'transcribe',
    ...(heard.language === undefined ? {} : { language: heard.language }),
    ...(heard.duration === undefined ? {} : { duration: heard.duration }),
    text: heard.text,
    ...(granularities.includes('segment')
      ? { segments: cues.map(({ start, end, text }, id) => ({ id, start, end, text })) }
      : {}),
    ...(granularities.includes('word')
      ? { words: heard.words.map(({ word, start, end }) => ({ word, start, end })) }
      : {}),
  }
}

function diarized(heard: Heard, cues: NonNullable<Heard['cues']>): TranscribeReply {
  return {
    task: 'transcribe',
    ...(heard.duration === undefined ? {} : { duration: heard.duration }),
    text: heard.text,
    segments: cues.map(({ start, end, text, speaker }, index) => ({
      type: 'transcript.text.segment',
      id: `seg_${index}`,
      start,
      end,
      text,
      speaker: speaker ?? 'A',
    })),
  }
}

/** Maximum length of a cue in characters: two lines of subtitles. */
const cueCharactersMax = 84
/** A pause of this length ends a cue, in seconds. */
const cuePause = 1

/** Makes cues from words. A new cue begins after a sentence or a pause, for another speaker, or after two lines of text. */
export function cuesOf(words: readonly SpokenWord[]): NonNullable<Heard['cues']> {
  const cues: (Cue & { readonly speaker?: string | undefined })[] = []
  for (const { word, start, end, speaker } of words) {
    const last = cues.at(-1)
    const joined = last === undefined ? word : `${last.text} ${word}`
    const ends =
      last === undefined ||
      last.speaker !== speaker ||
      start - last.end >= cuePause ||
      joined.length > cueCharactersMax ||
      /[.!?。！？]$/.test(last.text)
    if (ends) cues.push({ start, end, text: word, ...(speaker === undefined ? {} : { speaker }) })
    else cues[cues.length - 1] = { ...last, end, text: joined }
  }
  return cues
}
