import { GatewayError } from '@sluice/contract'
import audioType from 'audio-type'

/** A piece of decoded audio, mixed down to one channel. */
export interface SoundBlock {
  readonly samples: Float32Array
  readonly sampleRate: number
  /** Number of channels before mixing. */
  readonly channels: number
}

interface DecodedAudio {
  readonly format: AudioFormat
  /** In order and without gaps. The consumer owns each block and may keep or change it. */
  readonly blocks: AsyncIterable<SoundBlock>
}

export const audioSecondsMax = 7200

/** Some codecs turn a dozen bytes into half a minute of audio, so they get only this many bytes at a time. */
const feedBytes = 4096

const formatsList = 'flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav, webm'
const includedList = 'flac, mp3, ogg, opus, wav and webm'

/** Keyed by the names that the libraries use; `mkv` is any other file like WebM. */
const formats = {
  wav: 'wav',
  mp3: 'mp3',
  m4a: 'mp4',
  oga: 'ogg',
  opus: 'opus',
  flac: 'flac',
  webm: 'webm',
  mkv: 'webm',
  aac: 'aac',
} as const

type Codec = keyof typeof formats
/** The containers and streams that can be read. */
export type AudioFormat = (typeof formats)[Codec]

/** The format of a file, found by its first bytes; undefined if it cannot be read here. */
export function detectAudioFormat(bytes: Uint8Array): AudioFormat | undefined {
  const codec = codecOf(bytes)
  return codec === undefined ? undefined : formats[codec]
}

function codecOf(bytes: Uint8Array): Codec | undefined {
  // The library reads the whole buffer behind a view, from its beginning.
  const found = audioType(new Uint8Array(bytes.subarray(0, detectedBytes)))
  return codecs.find((codec) => codec === found)
}

// The keys of a literal table are its names.
const codecs = Object.keys(formats) as readonly Codec[]
const detectedBytes = 4096

/** The error for a file without readable audio. */
export function unreadableAudio(why: string, cause?: unknown): GatewayError {
  const message = `The audio file ${why}. Supported formats: ${formatsList}`
  return new GatewayError('invalid_request', message, { cause })
}

/**
 * Opens an audio file of any format that detectAudioFormat knows. Memory stays at one block, whatever the length. Throws
 * invalid_request, here or while reading, if the file is not audio or is damaged at the beginning; damage further on ends the
 * audio there.
 */
export function decodeAudio(bytes: Uint8Array): DecodedAudio {
  if (bytes.length === 0) throw unreadableAudio('is empty')
  const codec = codecOf(bytes)
  if (codec === undefined) throw unreadableAudio('is in no known audio format')
  return { format: formats[codec], blocks: blocksOf(bytes, codec) }
}

/** What the stream decoders of the codec library return. */
interface ChannelBlocks {
  readonly channelData: readonly Float32Array[]
  readonly sampleRate: number
}

async function* blocksOf(bytes: Uint8Array, name: Codec): AsyncIterable<SoundBlock> {
  const { default: decode } = await import('audio-decode')
  let codec: Awaited<ReturnType<(typeof decode)['wav']>> | undefined
  let heard = false
  try {
    codec = await decode[name === 'mkv' ? 'webm' : name]()
    for (let at = 0; at < bytes.length; at += feedBytes) {
      const block = mix(await codec(new Uint8Array(bytes.subarray(at, at + feedBytes))))
      if (block === undefined) continue
      heard = true
      yield block
    }
    const rest = mix(await codec())
    if (rest !== undefined) yield rest
  } catch (thrown) {
    if (lacksPackage(thrown)) throw lackingDecoder(formats[name], thrown)
    if (!heard) throw unreadableAudio(`cannot be decoded as ${formats[name]}`, thrown)
  } finally {
    codec?.free()
  }
}

/** Decoders whose license is not permissive are no part of the program. */
function lacksPackage(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_MODULE_NOT_FOUND'
}

function lackingDecoder(format: AudioFormat, cause: unknown): GatewayError {
  const message = `The built-in model needs the package @audio/decode-aac (GPL-2.0) beside Sluice to read this ${format} file: npm install @audio/decode-aac. It reads ${includedList} without it`
  return new GatewayError('unsupported_value', message, { param: 'file', cause })
}

function mix({ channelData, sampleRate }: ChannelBlocks): SoundBlock | undefined {
  const length = channelData[0]?.length ?? 0
  // The usual range of sampling rates; a file may contain any number.
  const isSound = sampleRate >= 1000 && sampleRate <= 768_000
  if (length === 0 || !isSound) return undefined
  const samples = new Float32Array(length)
  const share = 1 / channelData.length
  for (const channel of channelData)
    for (let i = 0; i < length; i++) samples[i] = (samples[i] ?? 0) + (channel[i] ?? 0) * share
  return { samples, sampleRate, channels: channelData.length }
}
