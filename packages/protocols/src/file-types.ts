import { type ContentPart, type DataUrl, parseDataUrl } from '@sluice/contract'

/** What a file is by the end of its name. */
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

/** The type that the name of a file or an address says; undefined where it says none. */
export function typeByName(name: string): string | undefined {
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(name)?.[1]?.toLowerCase()
  return ending !== undefined && Object.hasOwn(typesByEnding, ending)
    ? typesByEnding[ending]
    : undefined
}

/** The type of a file: its own unless that is `application/octet-stream`, which says nothing. */
export function typeOfFile(contentType: string, filename: string | null | undefined): string {
  if (contentType !== 'application/octet-stream') return contentType
  return typeByName(filename ?? '') ?? contentType
}

/** Many send a PDF as if it were a picture: the same part as a file; undefined where it is none. */
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

/** `%PDF-` in base64: files also come without a data: address around them. */
const pdfStart = 'JVBERi0'

/** The bytes of a file that are written out in a part; undefined for an address. */
export function writtenFile(data: string): DataUrl | undefined {
  return data.startsWith(pdfStart)
    ? { contentType: 'application/pdf', base64: data }
    : parseDataUrl(data)
}

/** A file that is text, in words that every model reads; undefined for every other part. */
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
