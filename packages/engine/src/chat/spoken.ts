import { type ChatRequest, GatewayError } from '@sluice/contract'
import { partsOf } from '../audio/speak.ts'
import { findVoice } from '../audio/synthesize-speech.ts'
import type { OperationContext } from '../engine.ts'

/** How to speak a response; undefined if only text was requested. */
export interface SpeechWish {
  readonly voice: string
  readonly format: Format
}

/** Maps OpenAI's formats to the synthesizer's. */
const formats = { wav: 'wav', pcm16: 'pcm', mp3: 'mp3' } as const

type Format = keyof typeof formats

const isFormat = (word: string): word is Format => Object.hasOwn(formats, word)

/** A response as audio. */
export interface Spoken {
  readonly id: string
  /** In seconds since the epoch. The audio is in the response itself and need not be fetched. */
  readonly expiresAt: number
  readonly bytes: Uint8Array
  readonly transcript: string
  readonly tokens: number
}

const workMs = 60_000
const keptSeconds = 3600
/** Audio tokens as OpenAI counts them. */
const tokensPerSecond = 20
/** Longer responses are spoken up to this length. */
const spokenCharactersMax = 4096

/** Throws unsupported_value for a voice or a format that the synthesizer does not have, or that cannot be streamed. */
export function speechWishOf({ modalities, audio, stream }: ChatRequest): SpeechWish | undefined {
  if (!modalities?.includes('audio')) return undefined
  const { voice, format } = audio ?? {}
  const wanted = format ?? (stream === true ? 'pcm16' : 'wav')
  if (!isFormat(wanted) || (stream === true && wanted !== 'pcm16'))
    throw new GatewayError(
      'unsupported_value',
      isFormat(wanted)
        ? 'Streamed speech must be pcm16'
        : `The built-in engine speaks ${Object.keys(formats).join(', ')}, not ${wanted}`,
      { param: 'audio.format' },
    )
  const named = typeof voice === 'string' ? voice : (voice?.id ?? 'alloy')
  findVoice(named, 'audio.voice')
  return { voice: named, format: wanted }
}

/** Speaks a response in a worker. */
export async function speakAnswer(
  text: string,
  wish: SpeechWish,
  context: OperationContext,
): Promise<Spoken> {
  const texts = partsOf(text.slice(0, spokenCharactersMax))
  const input = { texts, voice: wish.voice, speed: 1, format: formats[wish.format] }
  const options = { signal: context.signal, timeoutMs: workMs }
  const { bytes, seconds } = await context.workers.run('synthesizeSpeech', input, options)
  return {
    id: context.newId('audio_'),
    expiresAt: Math.floor(context.now() / 1000) + keptSeconds,
    bytes,
    transcript: text,
    tokens: Math.ceil(seconds * tokensPerSecond),
  }
}
