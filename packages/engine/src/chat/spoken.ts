import { type ChatRequest, GatewayError } from '@sluice/contract'
import type { OperationContext } from '../operation.ts'

/** How to speak a response; undefined if only text was requested. */
export interface SpeechWish {
  readonly voice: string
  readonly format: Format
}

/** Maps OpenAI's formats to the synthesiser's, with the size of a second of speech. */
const formats = {
  wav: { format: 'wav', bytesPerSecond: 2 * 24_000 },
  pcm16: { format: 'pcm', bytesPerSecond: 2 * 24_000 },
  mp3: { format: 'mp3', bytesPerSecond: 8_000 },
} as const

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

/** Throws unsupported_value for a format that the synthesiser does not support, or that cannot be streamed. */
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
  return { voice: typeof voice === 'string' ? voice : (voice?.id ?? 'alloy'), format: wanted }
}

/** Speaks a response in a worker. Throws unsupported_value (param `audio.voice`) for an unknown voice. */
export async function speakAnswer(
  text: string,
  wish: SpeechWish,
  context: OperationContext,
): Promise<Spoken> {
  const { format, bytesPerSecond } = formats[wish.format]
  const input = {
    text: text.slice(0, spokenCharactersMax).toWellFormed(),
    voice: wish.voice,
    speed: 1,
    format,
  }
  const spoken = context.workers.run('synthesizeSpeech', input, {
    signal: context.signal,
    timeoutMs: workMs,
  })
  const bytes = await spoken.catch((thrown: unknown) => {
    throw thrown instanceof GatewayError && thrown.code === 'unsupported_value'
      ? new GatewayError('unsupported_value', thrown.message, {
          param: 'audio.voice',
          cause: thrown,
        })
      : thrown
  })
  return {
    id: context.newId('audio_'),
    expiresAt: Math.floor(context.now() / 1000) + keptSeconds,
    bytes,
    transcript: text,
    tokens: Math.ceil((bytes.length / bytesPerSecond) * tokensPerSecond),
  }
}
