import { type ContentPart, invalidRequest } from '@sluice/contract'
import { silenceDb } from '../../audio/annotate.ts'
import { detectAudioFormat } from '../../audio/decode.ts'
import type { MediaContext } from '../../engine.ts'
import type { Medium } from '../ask/ask.ts'
import type { OpenPart } from '../read-request.ts'
import type { ImageInput } from './image.ts'

const mebibyte = 1024 * 1024
const imageBytesMax = 20 * mebibyte
const audioBytesMax = 25 * mebibyte
const fileBytesMax = 32 * mebibyte
const videoBytesMax = 64 * mebibyte
/** Time limit for reading one image, in milliseconds. */
const imageMs = 10_000

type Opening = (part: ContentPart, param: string, context: MediaContext) => Promise<Medium>

const openings: Readonly<Record<string, Opening>> = {
  image_url: openImage,
  input_audio: openAudio,
  video_url: openVideo,
  file: openFile,
}

/** Opens images, audio, videos and files. What cannot be read is the caller's error, reported with the path of its field. */
export function createOpenPart(context: MediaContext): OpenPart {
  return async (part, path) =>
    openings[part.type]?.(part, `${path}.${part.type}`, context) ?? {
      kind: 'document',
      description: part.text ?? '',
    }
}

async function openImage(
  { image_url: image }: ContentPart,
  param: string,
  context: MediaContext,
): Promise<Medium> {
  const { bytes } = await context.fetchMedia(image?.url ?? '', { bytesMax: imageBytesMax, param })
  return seeImage({ bytes, detail: image?.detail ?? 'auto' }, param, context)
}

function seeImage(input: ImageInput, param: string, { workers }: MediaContext): Promise<Medium> {
  return workers.run('describeImage', input, { timeoutMs: imageMs, param })
}

async function openAudio(
  { input_audio: audio }: ContentPart,
  param: string,
  context: MediaContext,
): Promise<Medium> {
  const data = audio?.data ?? ''
  const url = data.startsWith('data:')
    ? data
    : `data:audio/${audio?.format ?? 'wav'};base64,${data}`
  const { bytes } = await context.fetchMedia(url, { bytesMax: audioBytesMax, param })
  return describeAudio(bytes, param, context)
}

async function openVideo(
  { video_url: video }: ContentPart,
  param: string,
  context: MediaContext,
): Promise<Medium> {
  const { bytes } = await context.fetchMedia(video?.url ?? '', { bytesMax: videoBytesMax, param })
  return describeVideo(bytes, param)
}

async function openFile(part: ContentPart, path: string, context: MediaContext): Promise<Medium> {
  const { file_data: data, file_id: id, filename } = part.file ?? {}
  if (data == null)
    throw invalidRequest(
      `There is no file ${id ?? ''}: files are sent within the request, as file_data`,
      `${path}.file_id`,
    )
  const param = `${path}.file_data`
  const { bytes, contentType = '' } = await context.fetchMedia(data, {
    bytesMax: fileBytesMax,
    param,
  })
  if (contentType.startsWith('image/')) return seeImage({ bytes, detail: 'auto' }, param, context)
  if (contentType.startsWith('video/')) return describeVideo(bytes, param)
  if (bytes.length === 0) throw invalidRequest('The file is empty', param)
  // The first bytes of a text can look like audio, but audio is never a valid text.
  const isText = isPdf(bytes) || textOf(bytes) !== undefined
  if (!isText && detectAudioFormat(bytes) !== undefined) return describeAudio(bytes, param, context)
  return readDocument(bytes, { filename: filename ?? undefined, param, context })
}

const audioMs = 60_000
const segmentsMax = 20

/** Audio tokens as OpenAI counts them (audio guide). */
const tokensPerSecond = 10

/** Measures a recording: format, duration, sampling rate, channels and level, and what is heard when. */
async function describeAudio(
  bytes: Uint8Array,
  param: string,
  { workers }: MediaContext,
): Promise<Medium> {
  const heard = await workers.run('annotateAudio', { bytes }, { timeoutMs: audioMs, param })
  const { channels, level, duration } = heard
  const parts = heard.segments
    .slice(0, segmentsMax)
    .map((part) => `${part.start.toFixed(2)} to ${part.end.toFixed(2)} s: [${part.kind}]`)
  const more = heard.segments.length > segmentsMax ? ', and more' : ''
  const named = channels === 1 ? '1 channel (mono)' : `${channels} channels`
  const loud = level > silenceDb ? `its level is ${level.toFixed(1)} dBFS` : 'it is silent'
  const description = [
    `This is a ${heard.format} audio recording with a duration of ${Number(duration.toFixed(2))} seconds, sampled at ${heard.sampleRate} Hz.`,
    `It has ${channels === 2 ? '2 channels (stereo)' : named} and ${loud}.`,
    `It holds ${parts.join('; ')}${more}.`,
  ].join(' ')
  const audioTokens = Math.max(1, Math.ceil(duration * tokensPerSecond))
  return { kind: 'audio', description, audioTokens }
}

/** The tokens of a video, whose length is not read: those of ten images of low detail. */
const videoTokens = 850

/** Tells the container of a video. Throws invalid_request for any that it does not know. */
function describeVideo(bytes: Uint8Array, param: string): Medium {
  const container = containerOf(bytes)
  if (container === undefined)
    throw invalidRequest(
      'The container of the video is not supported; use mp4, mov, webm, mkv or avi',
      param,
    )
  const description = `This is a ${container} video of ${bytes.length} bytes.`
  return { kind: 'video', description, imageTokens: videoTokens }
}

function containerOf(bytes: Uint8Array): string | undefined {
  const name = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (name(4) === 'ftyp') return name(8) === 'qt  ' ? 'QuickTime' : 'MP4'
  // The document type is in the header (RFC 9559, section 5.1.1).
  if (name(0) === '\x1a\x45\xdf\xa3')
    return Buffer.from(bytes.subarray(0, 64)).includes('webm') ? 'WebM' : 'Matroska'
  return name(0) === 'RIFF' && name(8) === 'AVI ' ? 'AVI' : undefined
}

const pdfMs = 30_000
/** Maximum characters of a document; in practice the context limit is stricter. */
const charactersMax = 2_000_000

interface DocumentOptions {
  readonly filename: string | undefined
  readonly param: string
  readonly context: MediaContext
}

/** The text of a PDF or of a text file. */
async function readDocument(
  bytes: Uint8Array,
  { filename, param, context }: DocumentOptions,
): Promise<Medium> {
  const text = isPdf(bytes) ? await pdfText(bytes, param, context) : textOf(bytes)
  if (text === undefined) {
    const name = filename === undefined ? 'The file' : `The file ${filename.slice(0, 100)}`
    throw invalidRequest(`${name} is neither a PDF nor text`, param)
  }
  return { kind: 'document', description: text.slice(0, charactersMax) }
}

function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-')
}

async function pdfText(
  bytes: Uint8Array,
  param: string,
  { workers }: MediaContext,
): Promise<string> {
  const { text, pages } = await workers.run('readPdf', { bytes }, { timeoutMs: pdfMs, param })
  if (text.trim() !== '') return text
  return `This PDF has ${pages} ${pages === 1 ? 'page' : 'pages'} and holds no text.`
}

/** A file as text, if it is one in UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
