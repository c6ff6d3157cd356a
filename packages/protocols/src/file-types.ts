import { type ContentPart, type DataUrl, parseDataUrl, type UploadedFile } from '@sluice/contract'

/** The type of a file by the extension of its name. */
const typesByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  xml: 'text/xml',
  json: 'application/json',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
}

/** The type that the name of a file or a web address implies; undefined if unknown. */
export function typeByName(name: string): string | undefined {
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(name)?.[1]?.toLowerCase()
  return ending !== undefined && Object.hasOwn(typesByEnding, ending)
    ? typesByEnding[ending]
    : undefined
}

/** How the files begin whose names and types often say nothing, one character per byte. */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^RIFF[^]{4}WAVE/, 'wav'],
  [/^RIFF[^]{4}WEBP/, 'webp'],
  [/^(?:ID3|\xff[\xe2-\xfb])/, 'mp3'],
  [/^fLaC/, 'flac'],
  [/^OggS/, 'ogg'],
  [/^[^]{4}ftypM4A/, 'm4a'],
  [/^[^]{4}ftyp/, 'mp4'],
  [/^[^]E\xdf\xa3/, 'webm'],
  [/^\x89PNG/, 'png'],
  [/^\xff\xd8\xff/, 'jpg'],
]

/** Endings of the types that a sound comes with. */
const endingsByType: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/x-m4a': 'm4a',
  'audio/webm': 'webm',
  'audio/x-flac': 'flac',
  'audio/opus': 'ogg',
  ...Object.fromEntries(Object.entries(typesByEnding).map(([ending, type]) => [type, ending])),
}

/**
 * An upload with a name and a type that say what it is, as upstreams tell its format by them. A name that ends in something keeps
 * it; else the type or the first bytes decide.
 */
export function describedFile(file: UploadedFile): UploadedFile {
  const { filename, contentType, bytes } = file
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const firstBytes = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  const ending = endingsByType[type] ?? beginnings.find(([start]) => start.test(firstBytes))?.[1]
  const named = /\.[a-z0-9]{2,5}$/i.test(filename)
    ? filename
    : ending && `${filename === '' ? 'file' : filename}.${ending}`
  const isKnown = type !== '' && type !== 'application/octet-stream'
  const described = isKnown ? contentType : (typeByName(named ?? '') ?? contentType)
  return { ...file, filename: named ?? filename, contentType: described }
}

/** The type of a file: its own unless that is `application/octet-stream`, which says nothing. */
export function typeOfFile(contentType: string, filename: string | null | undefined): string {
  if (contentType !== 'application/octet-stream') return contentType
  return typeByName(filename ?? '') ?? contentType
}

/** Many callers send a PDF as an image. Returns the same part as a file; undefined if it is not a PDF. */
export function pdfAsFile(part: ContentPart): ContentPart | undefined {
  const url = part.image_url?.url
  if (url === undefined) return undefined
  const isPdf = /^https?:/i.test(url)
    ? /\.pdf(?:[?#]|$)/i.test(url)
    : /^data:application\/pdf[;,]/i.test(url)
  if (!isPdf) return undefined
  const { image_url: _, ...rest } = part
  return { ...rest, type: 'file', file: { filename: 'document.pdf', file_data: url } }
}

/** `%PDF-` in base64. Files also come without a data: URL around them. */
const pdfStart = 'JVBERi0'

/** The bytes of a file that a part contains; undefined for a web address. */
export function writtenFile(data: string): DataUrl | undefined {
  return data.startsWith(pdfStart)
    ? { contentType: 'application/pdf', base64: data }
    : parseDataUrl(data)
}

/** A text file as text that every model can read; undefined for every other part. */
export function textOfFile({ file }: ContentPart): string | undefined {
  const data = file?.file_data == null ? undefined : parseDataUrl(file.file_data)
  if (data === undefined) return undefined
  const type = typeOfFile(data.contentType, file?.filename)
  if (!type.startsWith('text/') && type !== 'application/json') return undefined
  return documentText(file?.filename, Buffer.from(data.base64, 'base64').toString('utf8'))
}

/** A document as text under its title. */
export function documentText(title: string | null | undefined, text: string): string {
  const head = title == null ? '<document>' : `<document title=${JSON.stringify(title)}>`
  return `${head}\n${text}\n</document>`
}
