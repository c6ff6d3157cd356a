import {
  type Fields,
  GatewayError,
  isObject,
  listOf,
  noUsage,
  someText,
  type TranscribeReply,
  type TranscribeRequest,
  type TranslateRequest,
  textOf,
  type Usage,
} from '@sluice/contract'
import { withoutFields } from '../../decisions.ts'
import { bodyOf } from '../../failure.ts'
import { describedFile } from '../../file-types.ts'
import type { Codec, CodecContext, Received } from '../../protocol.ts'
import { renderTranscript } from '../../rendered-transcript.ts'
import { formParts } from './form.ts'
import { createTypedEventReader, createTypedEventWatcher, mediaUsage } from './typed-events.ts'

export interface TranscribeOptions {
  /** Form fields that the upstream does not support. */
  readonly lacks?: readonly string[]
  /** Whether it responds only with JSON: `response_format` is not sent, and text or subtitles are made here. */
  readonly isJsonOnly?: boolean
}

/**
 * Transcriptions (https://platform.openai.com/docs/api-reference/audio). The upload keeps its name, because upstreams
 * tell the audio format by its extension; one without gets it.
 */
export function openaiTranscribe(options: TranscribeOptions = {}): Codec<'transcribe'> {
  return {
    encode: (request, context) => audioForm('/audio/transcriptions', request, { options, context }),
    decode: decodeTranscript,
    stream: { reader: createTypedEventReader, watcher: createTypedEventWatcher },
  }
}

/** Translations into English (the same reference). They cannot be streamed. */
export function openaiTranslate(options: TranscribeOptions = {}): Codec<'translate'> {
  return {
    encode: (request, context) => audioForm('/audio/translations', request, { options, context }),
    decode: decodeTranscript,
  }
}

function audioForm(
  path: string,
  request: TranscribeRequest | TranslateRequest,
  { options, context }: { readonly options: TranscribeOptions; readonly context: CodecContext },
) {
  const { file, ...rest } = request
  const given: Record<string, unknown> = { ...rest, model: context.model }
  if (given['stream'] === false) delete given['stream']
  if (options.isJsonOnly === true) {
    delete given['response_format']
    if (timed.has(request.response_format ?? '')) given['timestamp_granularities'] = 'segment'
  }
  const fields = withoutFields(given, options.lacks ?? [], context)
  return {
    method: 'POST' as const,
    path,
    body: {
      kind: 'form' as const,
      parts: [{ name: 'file', file: describedFile(file) }, ...formParts(fields)],
    },
  }
}

const timed: ReadonlySet<string> = new Set(['srt', 'vtt', 'verbose_json'])
const textFormats: ReadonlySet<string> = new Set(['text', 'srt', 'vtt'])

function decodeTranscript(
  received: Received,
  _context: CodecContext,
  request: TranscribeRequest | TranslateRequest,
) {
  const format = request.response_format ?? 'json'
  if (textFormats.has(format) && !received.contentType.includes('json')) {
    const text = new TextDecoder().decode(received.bytes)
    return { reply: { text }, passBytes: true }
  }
  const body = bodyOf(received)
  if (typeof body['text'] !== 'string')
    throw new GatewayError('upstream_garbled', 'The upstream answered without a text')
  if (textFormats.has(format)) return renderedText(body, request)
  const usage = heardUsage(body)
  const reply = transcriptOf(body)
  return usage === undefined ? { reply } : { reply, usage }
}

/** Some upstreams respond with JSON for every format. */
function renderedText(body: Fields, request: TranscribeRequest | TranslateRequest) {
  const cues = listOf(body['segments'])
    .filter(isObject)
    .map(({ start, end, text }) => ({
      start: Number(start),
      end: Number(end),
      text: textOf(text).trim(),
    }))
  if (cues.length === 0 && request.response_format !== 'text')
    throw new GatewayError('upstream_garbled', 'The upstream gave no times for subtitles')
  const usage = heardUsage(body)
  const heard = { text: textOf(body['text']), words: [], cues }
  const { file, model, response_format: format } = request
  return {
    ...renderTranscript(heard, { file, model, response_format: format ?? null }),
    ...(usage === undefined ? {} : { usage }),
  }
}

/** A verbose transcript says how long the recording is, also where it has no usage. */
function heardUsage(body: Fields): Usage | undefined {
  const { duration } = body
  const isLength = typeof duration === 'number' && duration > 0
  return mediaUsage(body['usage']) ?? (isLength ? { ...noUsage, seconds: duration } : undefined)
}

function transcriptOf(body: Fields): TranscribeReply {
  const { segments, logprobs, usage } = body
  const task = someText(body['task'])
  const language = someText(body['language'])
  const duration = Number(body['duration'] ?? Number.NaN)
  return {
    text: textOf(body['text']),
    ...(task === undefined ? {} : { task }),
    ...(language === undefined ? {} : { language }),
    ...(Number.isFinite(duration) ? { duration } : {}),
    ...(Array.isArray(segments) ? { segments: segments.filter(isObject) } : {}),
    ...(Array.isArray(body['words']) ? { words: wordsOf(body['words']) } : {}),
    ...(Array.isArray(logprobs) ? { logprobs: logprobs.filter(isObject) } : {}),
    ...(isObject(usage) ? { usage } : {}),
  }
}

function wordsOf(words: unknown): NonNullable<TranscribeReply['words']> {
  return listOf(words)
    .filter(isObject)
    .map(({ word, start, end }) => ({ word: textOf(word), start: Number(start), end: Number(end) }))
}
