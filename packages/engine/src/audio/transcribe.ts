import {
  type EventOf,
  formatSrt,
  formatVtt,
  GatewayError,
  type RequestOf,
  type Step,
} from '@sluice/contract'
import type { Operation } from '../operation.ts'
import { findLanguage } from './language.ts'
import { listenTo, logprobsOf, type Transcript, verboseSegments } from './transcript.ts'

type Request = RequestOf<'transcribe'>

/**
 * Captions of what is heard (sound, steady tones, silence) with exact times; recognising words would need a model.
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
