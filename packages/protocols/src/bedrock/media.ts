import { reportUnsupportedDetail } from '../neutral-values.ts'
import { type ContentPart, parseDataUrl, registeredType } from '@sluice/contract'
import { pdfAsFile, typeOfFile, writtenFile } from '../file-types.ts'
import type { CodecContext } from '../protocol.ts'
import { createUniqueNames } from '../unique-names.ts'

export type Block = Readonly<Record<string, unknown>>

const imageFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
}

const videoFormats: Readonly<Record<string, string>> = {
  'video/x-matroska': 'mkv',
  'video/quicktime': 'mov',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/x-flv': 'flv',
  'video/mpeg': 'mpeg',
  'video/x-ms-wmv': 'wmv',
  'video/3gpp': 'three_gp',
}

/** Converse takes bytes or S3 URLs, but not http(s) URLs, so these are downloaded first. */
export function mustBeFetched(url: string): boolean {
  return /^https?:/i.test(url)
}

/** A part other than text as a content block; undefined if it was dropped as unsupported. */
export function mediaBlock(
  part: ContentPart,
  path: string,
  context: CodecContext,
  documentName: (filename: string) => string,
): Block | undefined {
  switch (part.type) {
    case 'image_url': {
      const file = pdfAsFile(part)
      if (file !== undefined) return fileBlock(file, path, context, documentName)
      reportUnsupportedDetail(part, path, context)
      return addressBlock('image', part.image_url?.url ?? '', `${path}.image_url.url`, context)
    }
    case 'video_url':
      return addressBlock('video', part.video_url?.url ?? '', `${path}.video_url.url`, context)
    case 'input_audio': {
      const { format, data } = part.input_audio ?? {}
      return { audio: { format, source: { bytes: data } } }
    }
    case 'file':
      return fileBlock(part, path, context, documentName)
    default:
      return undefined
  }
}

function addressBlock(
  kind: 'image' | 'video',
  url: string,
  path: string,
  context: CodecContext,
): Block | undefined {
  const formats = kind === 'image' ? imageFormats : videoFormats
  if (url.startsWith('s3://')) {
    const extension = url.split('.').at(-1)?.toLowerCase().replace('jpg', 'jpeg')
    return { [kind]: { format: extension, source: { s3Location: { uri: url } } } }
  }
  const found = parseDataUrl(url) ?? downloaded(url, context)
  if (found === undefined) {
    context.unsupported(path, 'neither a data URL nor an http(s) URL')
    return undefined
  }
  const format = formats[found.contentType]
  if (format === undefined) {
    context.unsupported(path, `Bedrock does not take ${found.contentType}`)
    return undefined
  }
  return { [kind]: { format, source: { bytes: found.base64 } } }
}

function downloaded(
  url: string,
  { media }: CodecContext,
): { readonly contentType: string; readonly base64: string } | undefined {
  const found = media.get(url)
  return found === undefined
    ? undefined
    : {
        contentType: registeredType(found.contentType),
        base64: Buffer.from(found.bytes).toString('base64'),
      }
}

function fileBlock(
  { file }: ContentPart,
  path: string,
  context: CodecContext,
  documentName: (filename: string) => string,
): Block | undefined {
  const { file_data: given } = file ?? {}
  const data = given == null ? undefined : (writtenFile(given) ?? downloaded(given, context))
  if (data === undefined) {
    context.unsupported(
      given == null ? `${path}.file.file_id` : `${path}.file.file_data`,
      'Bedrock takes files as data URLs or http(s) URLs',
    )
    return undefined
  }
  const contentType = typeOfFile(data.contentType, file?.filename)
  const image = imageFormats[contentType]
  if (image !== undefined) return { image: { format: image, source: { bytes: data.base64 } } }
  const format = documentFormats[contentType]
  if (format === undefined) {
    context.unsupported(`${path}.file.file_data`, `Bedrock does not take ${contentType}`)
    return undefined
  }
  const name = documentName(file?.filename ?? 'document')
  return { document: { format, name, source: { bytes: data.base64 } } }
}

/**
 * Creates document names that Converse accepts: letters, digits, single spaces, hyphens and brackets; without extension, and
 * unique.
 */
export function createDocumentNames(): (filename: string) => string {
  const unique = createUniqueNames('-')
  return (filename) =>
    unique(
      shortened(filename)
        .replace(/\.[a-z0-9]{1,5}$/i, '')
        .replace(/[^a-zA-Z0-9\s()[\]-]/g, '-')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, 190) || 'document',
    )
}

/** Both ends of a very long name: the beginning is shown, the end has the extension. */
function shortened(filename: string): string {
  return filename.length <= 2 * endLength
    ? filename
    : filename.slice(0, endLength) + filename.slice(-endLength)
}
const endLength = 2_000
