import { GatewayError } from '@sluice/contract'
import { type AudioFormat, detectAudioFormat } from './audio-format.ts'
import { isSampleRate, parseWav, readWav, type WavLayout } from './wav.ts'

/** A stretch of decoded sound, its channels mixed to one. */
export interface SoundBlock {
  readonly samples: Float32Array
  readonly sampleRate: number
}

export interface DecodedAudio {
  readonly format: AudioFormat
  /** In order and without gaps; each block is given away and may be kept or changed. */
  readonly blocks: AsyncIterable<SoundBlock>
}

export const audioSecondsMax = 7200

/** Some codecs turn a dozen bytes into half a minute, so they are fed little by little. */
const feedBytes = 4096
const wavBlockFrames = 65_536

const formatsList = 'flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav, webm'

/** The answer to a file that holds no sound that can be read. */
export function unreadableAudio(why: string, cause?: unknown): GatewayError {
  const message = `The audio file ${why}. Supported formats: ${formatsList}`
  return new GatewayError('invalid_request', message, { param: 'file', cause })
}

/**
 * Opens a sound file of any format that detectAudioFormat knows. Memory stays at one block whatever the length.
 * Throws invalid_request (param `file`), here or while reading, when the file is no sound or is damaged from the start;
 * damage further on ends the sound there.
 */
export function decodeAudio(bytes: Uint8Array): DecodedAudio {
  if (bytes.length === 0) throw unreadableAudio('is empty')
  const format = detectAudioFormat(bytes)
  if (format === undefined) throw unreadableAudio('is in no known audio format')
  const layout = format === 'wav' ? parseWav(bytes) : undefined
  if (layout !== undefined) return { format, blocks: wavBlocks(bytes, layout) }
  return { format, blocks: codecBlocks(bytes, format) }
}

async function* wavBlocks(bytes: Uint8Array, layout: WavLayout): AsyncIterable<SoundBlock> {
  const { frames, sampleRate } = layout
  for (let from = 0; from < frames; from += wavBlockFrames) {
    const samples = readWav(bytes, layout, from, Math.min(frames, from + wavBlockFrames))
    yield { samples, sampleRate }
  }
}

/** What the codec library's stream decoders return. */
interface ChannelBlocks {
  readonly channelData: readonly Float32Array[]
  readonly sampleRate: number
}

async function openCodec(format: AudioFormat) {
  const { default: decode } = await import('audio-decode')
  switch (format) {
    case 'wav':
      return decode.wav()
    case 'mp3':
      return decode.mp3()
    case 'mp4':
      return decode.m4a()
    case 'ogg':
      return decode.oga()
    case 'opus':
      return decode.opus()
    case 'flac':
      return decode.flac()
    case 'webm':
      return decode.webm()
    case 'aac':
      return decode.aac()
  }
}

async function* codecBlocks(bytes: Uint8Array, format: AudioFormat): AsyncIterable<SoundBlock> {
  const codec = await openCodec(format)
  let heard = false
  try {
    for (let at = 0; at < bytes.length; at += feedBytes) {
      const block = mix(await codec(new Uint8Array(bytes.subarray(at, at + feedBytes))))
      if (block === undefined) continue
      heard = true
      yield block
    }
    const rest = mix(await codec())
    if (rest !== undefined) yield rest
  } catch (thrown) {
    if (!heard) throw unreadableAudio(`cannot be decoded as ${format}`, thrown)
  } finally {
    codec.free()
  }
}

function mix(decoded: ChannelBlocks): SoundBlock | undefined {
  const [first, ...others] = decoded.channelData
  if (first === undefined || first.length === 0 || !isSampleRate(decoded.sampleRate))
    return undefined
  const samples = Float32Array.from(first)
  for (const channel of others)
    for (let i = 0; i < samples.length; i++) samples[i] = (samples[i] ?? 0) + (channel[i] ?? 0)
  const share = 1 / decoded.channelData.length
  for (let i = 0; i < samples.length; i++) samples[i] = (samples[i] ?? 0) * share
  return { samples, sampleRate: decoded.sampleRate }
}
