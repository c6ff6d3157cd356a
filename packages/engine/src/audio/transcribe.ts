import {
  formatSrt,
  formatVtt,
  GatewayError,
  type ReplyOf,
  type RequestOf,
  type Usage,
} from '@sluice/contract'
import type { OperationContext, Operation } from '../operation.ts'
import { countTokens } from '../tokens.ts'
import type { Annotation } from './annotate.ts'
import { findLanguage } from './language.ts'
import { logprobsOf, type Transcript, transcriptOf, verboseSegments } from './transcript.ts'
import { transcriptEvents } from './transcript-events.ts'

/** Reading a file stops by itself after 90 seconds; this ends what hangs. */
const annotateTimeoutMs = 120_000

/** Sends a sound file to a worker and returns what is heard in it. */
export function annotateInWorker(
  bytes: Uint8Array,
  context: OperationContext,
): Promise<Annotation> {
  const options = { timeoutMs: annotateTimeoutMs, param: 'file' }
  return context.workers.run('annotateAudio', { bytes }, options)
}

/**
 * Captions of what is heard (sound, steady tones, silence) with their true times; words need a model.
 * `temperature` is reported back, `prompt` and `keywords` change nothing.
 */
export const transcribe: Operation<'transcribe'> = async (request, context) => {
  const name = findLanguage(request.language)
  refuseSpeakers(request)
  const annotation = await annotateInWorker(request.file.bytes, context)
  const transcript = transcriptOf(annotation)
  const usage = audioUsage(transcript, request.prompt)
  const plain = plainText(transcript, request.response_format, usage)
  const format = request.response_format ?? 'json'
  const logprobs = request.include?.includes('logprobs') ?? false
  if (request.stream === true && (format === 'json' || format === 'text'))
    return { kind: 'events', events: transcriptEvents({ transcript, logprobs, usage }) }
  if (plain !== undefined) return plain
  const reply = { text: transcript.text, usage: durationUsage(transcript) }
  if (format === 'verbose_json')
    return { kind: 'reply', reply: verbose(request, annotation, transcript, name), usage }
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

/** Voices are not told apart here: to guess would be to put words into somebody's mouth. */
function refuseSpeakers(request: RequestOf<'transcribe'>): void {
  const param =
    request.response_format === 'diarized_json'
      ? 'response_format'
      : (request.known_speaker_names?.length ?? 0) > 0
        ? 'known_speaker_names'
        : undefined
  if (param !== undefined)
    throw new GatewayError(
      'unsupported_value',
      'The built-in engine does not tell speakers apart',
      {
        param,
      },
    )
}
