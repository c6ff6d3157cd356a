import {
  type EventOf,
  GatewayError,
  invalidRequest,
  type RequestOf,
  type Step,
  type Usage,
  wavHeader,
} from '@sluice/contract'
import type { Operation, OperationContext } from '../engine.ts'
import { countSent } from '../tokens.ts'
import { findVoice, type SpokenPart, speechSampleRate } from './synthesize-speech.ts'

const speakTimeoutMs = 60_000
/** OpenAI's own limit. */
const charactersMax = 4096
/** Maximum length of speech. 4,096 characters take less at the slowest speed, unless they are digits. */
const secondsMax = 1500

/**
 * Speaks with Flite in a worker, sentence by sentence: 24 kHz, one channel, as `mp3` (default), or with 16 bits as `wav` or
 * `pcm`. Events are sent as they are spoken; a file when all of it is. It knows English; letters of other scripts are silent.
 * `instructions` have no effect. Throws unsupported_value for other formats and unknown voices.
 */
export const speak: Operation<'speak'> = async (request, context) => {
  const { input, response_format: wanted, stream_format: streamed } = request
  const format = formatOf(wanted ?? 'mp3')
  if (input.length > charactersMax)
    throw invalidRequest(`'input' must be at most ${charactersMax} characters long`, 'input')
  const spoken = speakParts(request, format === 'mp3' ? 'mp3' : 'pcm', context)
  findVoice(voiceOf(request))
  if (streamed === 'sse') return { kind: 'events', events: speechEvents(spoken, request, format) }
  const pieces: Uint8Array[] = []
  let seconds = 0
  for await (const part of spoken) {
    pieces.push(part.bytes)
    seconds += part.seconds
  }
  const samples = Math.round(seconds * speechSampleRate)
  if (format === 'wav') pieces.unshift(wavHeader(samples * 2, speechSampleRate))
  return {
    kind: 'bytes',
    contentType: { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm' }[format],
    body: oneByOne(pieces),
    length: pieces.reduce((sum, { length }) => sum + length, 0),
    usage: speechUsage(input, seconds),
  }
}

type Format = 'mp3' | 'wav' | 'pcm'

function formatOf(format: NonNullable<RequestOf<'speak'>['response_format']>): Format {
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

/** Very short sentences are joined, and long ones are cut between words. */
const partPattern = /[^]{60,600}?[.!?\n]\s*|[^]{1,600}(?:\s|$)|[^]{1,600}/g

/** A text in parts of at most 600 characters that are spoken one after the other; at least one. */
export function partsOf(text: string): readonly string[] {
  return text.match(partPattern) ?? ['']
}

async function* speakParts(
  request: RequestOf<'speak'>,
  format: 'mp3' | 'pcm',
  { workers }: OperationContext,
): AsyncGenerator<SpokenPart> {
  const voice = voiceOf(request)
  const speed = request.speed ?? 1
  let seconds = 0
  for (const [part, text] of partsOf(request.input).entries()) {
    const input = { texts: [text], voice, speed, format }
    const options = { timeoutMs: speakTimeoutMs, isFurtherPart: part > 0 }
    const spoken = await workers.run('synthesizeSpeech', input, options)
    seconds += spoken.seconds
    if (seconds > secondsMax)
      throw invalidRequest(
        `The input would take more than ${secondsMax} seconds to say; send a shorter one`,
        'input',
      )
    yield spoken
  }
}

async function* oneByOne(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

/** OpenAI counts twenty tokens per second of speech. */
function speechUsage(text: string, seconds: number): Usage {
  const audioOutputTokens = Math.ceil(seconds * 20)
  const inputTokens = countSent(text)
  return { inputTokens, outputTokens: audioOutputTokens, audioOutputTokens, seconds }
}

/** A WAV file is sent with the greatest length that its header can have, as OpenAI does, since its own is not known yet. */
async function* speechEvents(
  spoken: AsyncIterable<SpokenPart>,
  { input }: RequestOf<'speak'>,
  format: Format,
): AsyncIterable<Step<EventOf<'speak'>>> {
  const delta = (bytes: Uint8Array) => ({
    event: {
      type: 'speech.audio.delta' as const,
      audio: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    },
  })
  if (format === 'wav') yield delta(wavHeader(0xffff_ffff - 36, speechSampleRate))
  let seconds = 0
  for await (const part of spoken) {
    seconds += part.seconds
    yield delta(part.bytes)
  }
  const usage = speechUsage(input, seconds)
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
