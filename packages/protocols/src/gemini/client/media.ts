import {
  type ContentPart,
  type Fields,
  formatDataUrl,
  invalidRequest,
  isObject,
  someText,
} from '@sluice/contract'
import { missingParameter } from '../../missing-parameter.ts'
import { refuse } from './refuse.ts'
import { pick } from '../spelling.ts'

/** A client's inlineData or fileData as parts of a chat message. */
export function mediaContent(part: Fields, path: string): readonly ContentPart[] {
  const inline = pick(part, 'inlineData')
  const file = pick(part, 'fileData')
  if (!isObject(inline) && !isObject(file)) return []
  if (pick(part, 'videoMetadata') !== undefined) refuse(`${path}.videoMetadata`)
  if (isObject(inline)) return [inlineContent(inline, part, `${path}.inlineData`)]
  return isObject(file) ? [fileContent(file, part, `${path}.fileData`)] : []
}

const soundFormats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
}

function inlineContent(inline: Fields, part: Fields, path: string): ContentPart {
  const mimeType = someText(pick(inline, 'mimeType'))?.toLowerCase()
  const given = someText(inline['data'])
  if (mimeType === undefined) throw missingParameter(`${path}.mimeType`)
  if (given === undefined) throw missingParameter(`${path}.data`)
  // Google's own clients send both alphabets of base64.
  const data = given.replaceAll('-', '+').replaceAll('_', '/')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    throw invalidRequest('This is not base64 data', `${path}.data`)
  if (mimeType.startsWith('image/')) return image(formatDataUrl(mimeType, data), part, path)
  if (mimeType.startsWith('video/'))
    return { type: 'video_url', video_url: { url: formatDataUrl(mimeType, data) } }
  const format = Object.hasOwn(soundFormats, mimeType) ? soundFormats[mimeType] : undefined
  if (format !== undefined) return { type: 'input_audio', input_audio: { data, format } }
  if (mimeType.startsWith('audio/')) refuse(`${path}.mimeType`, 'sound comes as wav or mp3')
  return {
    type: 'file',
    file: {
      filename: someText(pick(inline, 'displayName')) ?? 'file',
      file_data: formatDataUrl(mimeType, data),
    },
  }
}

function fileContent(file: Fields, part: Fields, path: string): ContentPart {
  const uri = someText(pick(file, 'fileUri'))
  const mimeType = someText(pick(file, 'mimeType'))?.toLowerCase() ?? ''
  if (uri === undefined) throw missingParameter(`${path}.fileUri`)
  if (!/^https?:/i.test(uri)) refuse(`${path}.fileUri`, 'only Google can read this address')
  if (mimeType.startsWith('video/') || /youtu\.?be/.test(uri))
    return { type: 'video_url', video_url: { url: uri } }
  if (mimeType.startsWith('image/') || /\.(png|jpe?g|webp|gif)$/i.test(uri))
    return image(uri, part, path)
  if (mimeType.startsWith('audio/')) refuse(`${path}.fileUri`, 'sound comes inline')
  return { type: 'file', file: { filename: uri.split('/').at(-1) || 'file', file_data: uri } }
}

const details: Readonly<Record<string, 'low' | 'high' | 'original'>> = {
  MEDIA_RESOLUTION_LOW: 'low',
  MEDIA_RESOLUTION_HIGH: 'high',
  MEDIA_RESOLUTION_ULTRA_HIGH: 'original',
}

/** The image detail that a media resolution stands for; rejects resolutions without an equivalent. */
export function detailOf(level: unknown, path: string): 'low' | 'high' | 'original' | undefined {
  const word = someText(level)
  if (word === undefined || word === 'MEDIA_RESOLUTION_UNSPECIFIED') return undefined
  return (Object.hasOwn(details, word) ? details[word] : undefined) ?? refuse(path)
}

function image(url: string, part: Fields, path: string): ContentPart {
  const resolution = pick(part, 'mediaResolution')
  const level = isObject(resolution) ? resolution['level'] : resolution
  const detail = detailOf(level, path.replace(/[^.]+$/, 'mediaResolution'))
  return { type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } }
}
