import {
  type EventOf,
  GatewayError,
  invalidRequest,
  type RequestOf,
  type Step,
  type Usage,
  wavHeader,
} from '@sluice/contract'
import type { Operation, OperationContext } from '../operation.ts'
import { countSent } from '../tokens.ts'
import { planSpeech, speechSampleRate } from './speech/plan.ts'
import { findVoice } from './speech/voices.ts'

const speakTimeoutMs = 60_000
/** OpenAI's own limit. */
const charactersMax = 4096
/** Maximum length of speech. 4,096 characters take half of this at the slowest speed, unless they are digits. */
const secondsMax = 2400

/**
 * Speaks with a formant synthesiser in a worker, sentence by sentence: 24 kHz, one channel, as `mp3` (default), or with 16
 * bits as `wav` or `pcm`. `instructions` have no effect. Throws unsupported_value for other formats and unknown voices.
 */
export const speak: Operation<'speak'> = async (request, context) => {
  const format = formatOf(request)
  if (request.input.length > charactersMax)
    throw invalidRequest(`'input' must be at most ${charactersMax} characters long`, 'input')
  const voice = voiceOf(request)
  findVoice(voice)
  const speed = request.speed ?? 1
  const parts = request.input.match(partPattern) ?? []
  const samples = parts.reduce((sum, part) => sum + planSpeech(part, speed).samples, 0)
  if (samples > secondsMax * speechSampleRate)
    throw invalidRequest(
      `The input would take more than ${secondsMax} seconds to say; send a shorter one`,
      'input',
    )
  const usage = speechUsage(request.input, samples)
  const header = format === 'wav' ? wavHeader(samples * 2, speechSampleRate) : undefined
  const body = speakParts({ parts, voice, speed, format, header }, context)
  if (request.stream_format === 'sse') return { kind: 'events', events: speechEvents(body, usage) }
  if (format === 'mp3') return { kind: 'bytes', contentType: 'audio/mpeg', body, usage }
  const contentType = format === 'wav' ? 'audio/wav' : 'audio/pcm'
  return { kind: 'bytes', contentType, body, length: samples * 2 + (header?.length ?? 0), usage }
}

function formatOf(request: RequestOf<'speak'>): 'mp3' | 'wav' | 'pcm' {
  const format = request.response_format ?? 'mp3'
  if (format === 'mp3' || format === 'wav' || format === 'pcm') return format
  throw new GatewayError(
    'unsupported_value',
    `The built-in speech engine cannot encode ${format}; it offers mp3, wav and pcm`,
    { param: 'response_format' },
  )
}

function voiceOf({ voice }: RequestOf<'speak'>): string {
  if (voice == null) return 'alloy'
  return typeof voice === 'string' ? voice : voice.id
}

/** A sentence is synthesised while the one before is sent; very short ones are joined, and long ones are cut between words. */
const partPattern = /[^]{60,600}?[.!?\n]\s*|[^]{1,600}(?:\s|$)|[^]{1,600}/g

interface SpokenParts {
  readonly parts: readonly string[]
  readonly voice: string
  readonly speed: number
  readonly format: 'mp3' | 'wav' | 'pcm'
  readonly header: Uint8Array | undefined
}

async function* speakParts(
  { parts, voice, speed, format, header }: SpokenParts,
  { workers }: OperationContext,
): AsyncIterable<Uint8Array> {
  if (header !== undefined) yield header
  for (const [part, text] of parts.entries()) {
    const input = { text, voice, speed, format: format === 'mp3' ? 'mp3' : 'pcm' } as const
    yield await workers.run('synthesizeSpeech', input, {
      timeoutMs: speakTimeoutMs,
      isFurtherPart: part > 0,
    })
  }
}

/** OpenAI counts twenty tokens per second of speech. */
function speechUsage(text: string, samples: number): Usage {
  const seconds = samples / speechSampleRate
  const audioOutputTokens = Math.ceil(seconds * 20)
  const inputTokens = countSent(text)
  return { inputTokens, outputTokens: audioOutputTokens, audioOutputTokens, seconds }
}

async function* speechEvents(
  body: AsyncIterable<Uint8Array>,
  usage: Usage,
): AsyncIterable<Step<EventOf<'speak'>>> {
  for await (const bytes of body) {
    const audio = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
    yield { event: { type: 'speech.audio.delta', audio } }
  }
  const { inputTokens, outputTokens } = usage
  yield {
    event: {
      type: 'speech.audio.done',
      usage: {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
      },
    },
  }
  yield { usage }
}
