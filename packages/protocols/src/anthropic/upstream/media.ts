import { type ContentPart, type DataUrl, invalidRequest, parseDataUrl } from '@sluice/contract'
import { reportUnsupportedDetail } from '../../neutral-values.ts'
import { pdfAsFile, typeOfFile, writtenFile } from '../../file-types.ts'
import type { CodecContext } from '../../protocol.ts'
import { type Block, imageTypes } from '../blocks.ts'

/** An image or file as a block; undefined if it was dropped as unsupported. Throws `invalid_request`. */
export function mediaBlock(
  part: ContentPart,
  path: string,
  context: CodecContext,
): Block | undefined {
  switch (part.type) {
    case 'image_url': {
      const file = pdfAsFile(part)
      if (file !== undefined) return fileBlock(file, path, context)
      reportUnsupportedDetail(part, path, context)
      return imageBlock(part.image_url?.url ?? '', `${path}.image_url`)
    }
    case 'file':
      return fileBlock(part, path, context)
    case 'input_audio':
    case 'video_url':
      context.unsupported(`${path}.${part.type}`, 'Claude reads text, pictures and documents')
      return undefined
    case 'text':
    case 'refusal':
      return undefined
    default:
      return part.type satisfies never
  }
}

function imageBlock(url: string, path: string): Block {
  if (/^https?:/i.test(url)) return { type: 'image', source: { type: 'url', url } }
  const data = parseDataUrl(url)
  if (data === undefined)
    throw invalidRequest('An image must be an http(s) URL or a data URL', path)
  return dataImage(data, path)
}

function dataImage({ contentType, base64 }: DataUrl, path: string): Block {
  if (!imageTypes.has(contentType))
    throw invalidRequest(`Claude takes ${[...imageTypes].join(', ')}, not ${contentType}`, path)
  return { type: 'image', source: { type: 'base64', media_type: contentType, data: base64 } }
}

function fileBlock({ file }: ContentPart, path: string, context: CodecContext): Block | undefined {
  const content = file?.file_data
  const title = file?.filename == null ? {} : { title: file.filename }
  if (content == null) {
    context.unsupported(
      `${path}.file.file_id`,
      'ids of files belong to the provider they came from',
    )
    return undefined
  }
  const param = `${path}.file.file_data`
  if (/^https?:/i.test(content))
    return { type: 'document', source: { type: 'url', url: content }, ...title }
  const data = writtenFile(content)
  if (data === undefined) throw invalidRequest('A file must be a data URL', param)
  const { base64 } = data
  const contentType = typeOfFile(data.contentType, file?.filename)
  if (contentType.startsWith('image/')) return dataImage({ contentType, base64 }, param)
  const source =
    contentType === 'application/pdf'
      ? { type: 'base64', media_type: contentType, data: base64 }
      : contentType.startsWith('text/') || contentType === 'application/json'
        ? { type: 'text', media_type: 'text/plain', data: decodeText(base64) }
        : undefined
  if (source === undefined)
    throw invalidRequest(`Claude takes PDF and text files, not ${contentType}`, param)
  return { type: 'document', source, ...title }
}

function decodeText(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8')
}
