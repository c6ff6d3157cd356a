import { type ContentPart, GatewayError, invalidRequest } from '@sluice/contract'
import { detectAudioFormat } from '../../audio/decode.ts'
import type { MediaContext } from '../../operation.ts'
import type { Medium } from '../ask/conversation.ts'
import type { OpenPart } from '../read-request.ts'
import { describeAudio } from './audio.ts'
import { isPdf, readDocument, textOf } from './document.ts'
import { describeVideo } from './video.ts'

const mebibyte = 1024 * 1024
const imageBytesMax = 20 * mebibyte
const audioBytesMax = 25 * mebibyte
const fileBytesMax = 32 * mebibyte
const videoBytesMax = 64 * mebibyte
/** How long one picture may take to be read, in milliseconds. */
const imageMs = 10_000

/** Opens pictures, sounds, films and files; what cannot be read is the caller's mistake, with the path of its field. */
export function createOpenPart(context: MediaContext): OpenPart {
  return async (part, path) => {
    switch (part.type) {
      case 'image_url':
        return openImage(part, `${path}.image_url`, context)
      case 'input_audio':
        return openAudio(part, `${path}.input_audio`, context)
      case 'video_url':
        return openVideo(part, `${path}.video_url`, context)
      case 'file':
        return openFile(part, `${path}.file`, context)
      case 'text':
      case 'refusal':
        return { kind: 'document', description: part.text ?? '', imageTokens: 0, audioTokens: 0 }
    }
  }
}

async function openImage(part: ContentPart, param: string, context: MediaContext): Promise<Medium> {
  const url = part.image_url?.url ?? ''
  const { bytes } = await context.fetchMedia(url, { bytesMax: imageBytesMax, param })
  const detail = part.image_url?.detail ?? 'auto'
  return context.workers.run('describeImage', { bytes, detail }, { timeoutMs: imageMs, param })
}

async function openAudio(part: ContentPart, param: string, context: MediaContext): Promise<Medium> {
  const data = part.input_audio?.data ?? ''
  const url = data.startsWith('data:')
    ? data
    : `data:audio/${part.input_audio?.format ?? 'wav'};base64,${data}`
  const { bytes } = await context.fetchMedia(url, { bytesMax: audioBytesMax, param })
  return describeAudio(bytes, param, context)
}

async function openVideo(part: ContentPart, param: string, context: MediaContext): Promise<Medium> {
  const { bytes } = await context.fetchMedia(part.video_url?.url ?? '', {
    bytesMax: videoBytesMax,
    param,
  })
  return describeVideo(bytes, param)
}

async function openFile(part: ContentPart, param: string, context: MediaContext): Promise<Medium> {
  const { file_data: data, file_id: id, filename } = part.file ?? {}
  if (data == null)
    throw new GatewayError(
      'invalid_request',
      `There is no file ${id ?? ''}: files are sent within the request, as file_data`,
      { param: `${param}.file_id` },
    )
  const { bytes, contentType } = await context.fetchMedia(data, {
    bytesMax: fileBytesMax,
    param: `${param}.file_data`,
  })
  const field = `${param}.file_data`
  if (contentType?.startsWith('image/') === true)
    return context.workers.run(
      'describeImage',
      { bytes, detail: 'auto' },
      { timeoutMs: imageMs, param: field },
    )
  if (contentType?.startsWith('video/') === true) return describeVideo(bytes, field)
  if (bytes.length === 0) throw invalidRequest('The file is empty', field)
  // The first bytes of a text can be those of a sound, but no sound is a text.
  const isText = isPdf(bytes) || textOf(bytes) !== undefined
  if (!isText && detectAudioFormat(bytes) !== undefined) return describeAudio(bytes, field, context)
  return readDocument(bytes, { filename: filename ?? undefined, param: field, context })
}
