import { type ContentPart, invalidRequest } from '@sluice/contract'
import { detectAudioFormat } from '../../audio/decode.ts'
import type { MediaContext } from '../../operation.ts'
import type { Medium } from '../ask/conversation.ts'
import type { OpenPart } from '../read-request.ts'
import { describeAudio } from './audio.ts'
import { isPdf, readDocument, textOf } from './document.ts'
import type { ImageInput } from './image.ts'
import { describeVideo } from './video.ts'

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
