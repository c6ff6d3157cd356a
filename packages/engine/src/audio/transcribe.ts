import { deflateSync } from 'node:zlib'
import {
  type Cue,
  type EventOf,
  formatSrt,
  formatVtt,
  GatewayError,
  invalidRequest,
  type RequestOf,
  type Step,
  type Usage,
} from '@sluice/contract'
import type { Operation, OperationContext } from '../engine.ts'
import { countSent, countTokens, encode } from '../tokens.ts'
import type { Annotation } from './annotate.ts'

type Request = RequestOf<'transcribe'>

/**
 * Captions of sound and silence with exact times; recognizing words would need a model.
 * `temperature` is only repeated in the response; `prompt` and `keywords` have no effect.
 */
export const transcribe: Operation<'transcribe'> = async (request, context) => {
  const language = findLanguage(request.language)
  refuseSpeakers(request)
  const transcript = await listenTo(request, context)
  const format = request.response_format ?? 'json'
  if (request.stream === true && (format === 'json' || format === 'text'))
    return { kind: 'events', events: eventsOf(transcript, request) }
  return answer(transcript, request, { task: 'transcribe', language })
}

/** The same captions as for a transcription, in English whatever language is spoken. */
export const translate: Operation<'translate'> = async (request, context) =>
  answer(await listenTo(request, context), request, { task: 'translate', language: 'english' })

function answer(
  transcript: Transcript,
  request: Pick<Request, 'response_format' | 'temperature' | 'timestamp_granularities' | 'include'>,
  said: { readonly task: string; readonly language: string },
) {
  const { annotation, cues, text, usage } = transcript
  const { response_format: format, timestamp_granularities: granularities, temperature } = request
  if (format === 'text') return plain(`${text}\n`, 'text/plain', transcript)
  if (format === 'srt') return plain(formatSrt(cues), 'text/plain', transcript)
  if (format === 'vtt') return plain(formatVtt(cues), 'text/vtt', transcript)
  const { duration } = annotation
  const reply = { text, usage: { type: 'duration', seconds: duration } }
  if (format !== 'verbose_json')
    return { kind: 'reply', reply: { ...reply, ...logprobs(text, request) }, usage } as const
  const words = cues.map((cue) => ({ word: cue.text, start: cue.start, end: cue.end }))
  const segments = verboseSegments(transcript, temperature ?? 0)
  const isAsked = (name: 'word' | 'segment') => granularities?.includes(name) ?? false
  const parts = {
    ...(isAsked('word') ? { words } : {}),
    ...(isAsked('segment') || !isAsked('word') ? { segments } : {}),
  }
  return { kind: 'reply', reply: { ...said, duration, ...reply, ...parts }, usage } as const
}

function logprobs(text: string, { include }: Pick<Request, 'include'>) {
  return include?.includes('logprobs') === true ? { logprobs: logprobsOf(text) } : {}
}

/** A response in one of the formats that are not JSON. */
function plain(text: string, type: string, { usage }: Transcript) {
  const bytes = new TextEncoder().encode(text)
  const contentType = `${type}; charset=utf-8`
  return { kind: 'bytes', contentType, body: once(bytes), length: bytes.length, usage } as const
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

/** Events: transcript.text.delta per caption, then transcript.text.done. */
async function* eventsOf(
  { cues, text, usage }: Transcript,
  request: Request,
): AsyncIterable<Step<EventOf<'transcribe'>>> {
  for (const [i, cue] of cues.entries()) {
    const delta = i === 0 ? cue.text : ` ${cue.text}`
    yield { event: { type: 'transcript.text.delta', delta, ...logprobs(delta, request) } }
  }
  const { inputTokens, outputTokens, audioInputTokens = 0 } = usage
  const tokens = {
    type: 'tokens',
    input_tokens: inputTokens,
    input_token_details: {
      text_tokens: inputTokens - audioInputTokens,
      audio_tokens: audioInputTokens,
    },
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
  const done = { text, ...logprobs(text, request), usage: tokens }
  yield { event: { type: 'transcript.text.done', ...done } }
  yield { usage }
}

/** Rejects requests to distinguish speakers, because the engine would have to guess who said what. */
function refuseSpeakers({ response_format: format, known_speaker_names: names }: Request): void {
  const isNamed = (names?.length ?? 0) > 0
  if (format !== 'diarized_json' && !isNamed) return
  throw new GatewayError('unsupported_value', 'The built-in engine does not tell speakers apart', {
    param: format === 'diarized_json' ? 'response_format' : 'known_speaker_names',
  })
}

/** What is heard in a recording: one caption per segment, and all of them as one text. */
interface Transcript {
  readonly annotation: Annotation
  readonly cues: readonly Cue[]
  readonly text: string
  readonly usage: Usage
}

/** Reading a file stops by itself after 90 seconds; this limit ends a task that hangs. */
const annotateTimeoutMs = 120_000

/** Sends an audio file to a worker. OpenAI counts one token per tenth of a second of audio. */
async function listenTo(
  { file, prompt }: Pick<RequestOf<'translate'>, 'file' | 'prompt'>,
  { workers }: OperationContext,
): Promise<Transcript> {
  const annotation = await workers.run(
    'annotateAudio',
    { bytes: file.bytes },
    { timeoutMs: annotateTimeoutMs, param: 'file' },
  )
  const cues = annotation.segments.map(({ kind, start, end }) => ({
    start,
    end,
    text: `[${kind}]`,
  }))
  const text = cues.map((cue) => cue.text).join(' ')
  const audioInputTokens = Math.ceil(annotation.duration * 10)
  const usage = {
    inputTokens: audioInputTokens + countSent(prompt ?? ''),
    outputTokens: countTokens(text),
    audioInputTokens,
    seconds: annotation.duration,
  }
  return { annotation, cues, text, usage }
}

/** Segments in Whisper's form. The caption is the only candidate, so its log probability is 0. */
function verboseSegments(
  { annotation, cues }: Transcript,
  temperature: number,
): Record<string, unknown>[] {
  return cues.map((cue, id) => ({
    id,
    // Whisper counts in hundredths of a second.
    seek: Math.round(cue.start * 100),
    ...cue,
    tokens: [],
    temperature,
    avg_logprob: 0,
    // Length of the text divided by its compressed length, both in bytes: Whisper's measure of repetition.
    compression_ratio: Buffer.byteLength(cue.text) / deflateSync(cue.text).length,
    // Whether a sound is speech is unknown here.
    no_speech_prob: annotation.segments[id]?.kind === 'sound' ? 0.5 : 1,
  }))
}

/** One entry per token; each was the only choice. */
function logprobsOf(text: string) {
  return encode(text).map((token) => ({ token, logprob: 0, bytes: [...Buffer.from(token)] }))
}

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/**
 * The full English name of a language for its two- or three-letter code, such as `english`; English if none is given. Throws
 * invalid_request (param `language`) for an unknown code.
 */
function findLanguage(given: string | null | undefined): string {
  if (given == null || given === '') return 'english'
  const code = given.toLowerCase().split(/[-_]/)[0] ?? ''
  const name = /^[a-z]{2,3}$/.test(code) ? names.of(code) : undefined
  if (name === undefined)
    throw invalidRequest(
      `'${given.slice(0, 40)}' is no language; give an ISO 639-1 code such as en`,
      'language',
    )
  return name.toLowerCase()
}
