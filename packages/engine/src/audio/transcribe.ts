import {
  formatSrt,
  formatVtt,
  invalidRequest,
  type ReplyOf,
  type RequestOf,
  type Usage,
} from '@sluice/contract'
import type { OperationContext, Operation } from '../operation.ts'
import { countTokens } from '../tokens.ts'
import type { Annotation } from './annotate.ts'
import { findLanguage } from './language.ts'
import { findSpeakers, type KnownSpeaker } from './speakers.ts'
import { logprobsOf, type Transcript, transcriptOf, verboseSegments } from './transcript.ts'
import { transcriptEvents } from './transcript-events.ts'

/** Reading a file stops by itself after 90 seconds; this ends what hangs. */
const annotateTimeoutMs = 120_000

/** Sends a sound file to a worker and returns what is heard in it. */
export function annotateInWorker(
  bytes: Uint8Array,
  context: OperationContext,
): Promise<Annotation> {
  // A message copies the whole memory behind a view, so a small view of a large buffer is cut out first.
  const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
  const { signal } = context
  return context.workers.run(
    'annotateAudio',
    { bytes: own },
    { signal, timeoutMs: annotateTimeoutMs },
  )
}

/**
 * Captions of what is heard (speech, music, tones, noise, silence) with their true times; words need a model.
 * `temperature` is reported back, `prompt` and `keywords` change nothing.
 */
export const transcribe: Operation<'transcribe'> = async (request, context) => {
  const { code, name } = findLanguage(request.language)
  const known = await knownSpeakers(request, context)
  const annotation = await annotateInWorker(request.file.bytes, context)
  const transcript = transcriptOf(annotation, code)
  const usage = audioUsage(transcript, request.prompt)
  const plain = plainText(transcript, request.response_format, usage)
  const format = request.response_format ?? 'json'
  const logprobs = request.include?.includes('logprobs') ?? false
  if (
    request.stream === true &&
    (format === 'json' || format === 'text' || format === 'diarized_json')
  ) {
    const spoken = format === 'diarized_json' ? findSpeakers(annotation.segments, known) : undefined
    return { kind: 'events', events: transcriptEvents({ transcript, spoken, logprobs, usage }) }
  }
  if (plain !== undefined) return plain
  const reply = { text: transcript.text, usage: durationUsage(transcript) }
  if (format === 'verbose_json')
    return { kind: 'reply', reply: verbose(request, annotation, transcript, name), usage }
  if (format === 'diarized_json')
    return { kind: 'reply', reply: diarized(annotation, transcript, known), usage }
  const withLogprobs = logprobs ? { ...reply, logprobs: logprobsOf(transcript.text) } : reply
  return { kind: 'reply', reply: withLogprobs, usage }
}

/** What was used: OpenAI counts one token per tenth of a second of sound. */
export function audioUsage({ duration, text }: Transcript, prompt?: string | null): Usage {
  const audioInputTokens = Math.ceil(duration * 10)
  return {
    inputTokens: audioInputTokens + countTokens(prompt ?? ''),
    outputTokens: countTokens(text),
    audioInputTokens,
    seconds: duration,
  }
}

export function durationUsage({ duration }: Transcript) {
  return { type: 'duration', seconds: duration }
}

/** The answer in one of the formats that are no JSON; undefined for the others. */
export function plainText(transcript: Transcript, format: string | null | undefined, usage: Usage) {
  const text = textIn(transcript, format)
  if (text === undefined) return undefined
  const bytes = new TextEncoder().encode(text)
  const contentType = `text/${format === 'vtt' ? 'vtt' : 'plain'}; charset=utf-8`
  return { kind: 'bytes', contentType, body: once(bytes), length: bytes.length, usage } as const
}

function textIn(transcript: Transcript, format: string | null | undefined): string | undefined {
  switch (format) {
    case 'text':
      return `${transcript.text}\n`
    case 'srt':
      return formatSrt(transcript.cues)
    case 'vtt':
      return formatVtt(transcript.cues)
    default:
      return undefined
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

function verbose(
  request: RequestOf<'transcribe'>,
  annotation: Annotation,
  transcript: Transcript,
  language: string,
): ReplyOf<'transcribe'> {
  const granularities = request.timestamp_granularities ?? []
  const words = transcript.cues.map(({ text, start, end }) => ({ word: text, start, end }))
  const segments = verboseSegments(annotation, transcript, request.temperature ?? 0)
  return {
    task: 'transcribe',
    language,
    duration: transcript.duration,
    text: transcript.text,
    ...(granularities.includes('word') ? { words } : {}),
    ...(granularities.length === 0 || granularities.includes('segment') ? { segments } : {}),
    usage: durationUsage(transcript),
  }
}

function diarized(
  annotation: Annotation,
  transcript: Transcript,
  known: readonly KnownSpeaker[],
): ReplyOf<'transcribe'> {
  const segments = findSpeakers(annotation.segments, known).map((spoken, i) => ({
    type: 'transcript.text.segment',
    id: `seg_${i}`,
    text: '[speech]',
    ...spoken,
  }))
  return {
    task: 'transcribe',
    duration: transcript.duration,
    text: transcript.text,
    segments,
    usage: durationUsage(transcript),
  }
}

async function knownSpeakers(
  request: RequestOf<'transcribe'>,
  context: OperationContext,
): Promise<readonly KnownSpeaker[]> {
  const names = request.known_speaker_names ?? []
  const references = request.known_speaker_references ?? []
  if (names.length !== references.length)
    throw invalidRequest(
      'known_speaker_names and known_speaker_references must have equally many entries',
      'known_speaker_references',
    )
  const speakers: KnownSpeaker[] = []
  for (const [i, url] of references.entries()) {
    const param = `known_speaker_references[${i}]`
    if (!url.startsWith('data:')) throw invalidRequest('A reference must be a data URL', param)
    const { bytes } = await context.fetchMedia(url, { bytesMax: 5_000_000, param })
    const { segments } = await annotateInWorker(bytes, context)
    const voices = segments.flatMap((segment) => segment.utterances ?? [])
    const voiceHz = voices.find((voice) => voice.voiceHz > 0)?.voiceHz
    if (voiceHz === undefined) throw invalidRequest('No voice is heard in this reference', param)
    speakers.push({ name: names[i] ?? '', voiceHz })
  }
  return speakers
}
