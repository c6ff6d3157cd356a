import { type ContentPart, formatDataUrl, GatewayError, type Message } from '@sluice/contract'
import type { ContentItem } from './schema.ts'

type Content = string | readonly ContentItem[] | null | undefined

/** The content of a system, developer or user message. A single text becomes a string. */
export function messageContent(
  content: Content,
  path: string,
): Exclude<Message['content'], undefined> {
  if (typeof content === 'string') return content
  const parts = (content ?? []).map((item, index) => partOf(item, `${path}[${index}]`))
  if (parts.length === 0) throw missing(path)
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? (only.text ?? '') : parts
}

function partOf(item: ContentItem, path: string): ContentPart {
  switch (item.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: item.text ?? '' }
    case 'input_image':
      return imagePart(item, path)
    case 'input_file':
      return filePart(item, path)
    case 'input_audio':
      if (item.input_audio == null) throw missing(`${path}.input_audio`)
      return { type: 'input_audio', input_audio: item.input_audio }
    default:
      throw unknownContent(item.type, path)
  }
}

function unknownContent(type: string, path: string): GatewayError {
  return new GatewayError('unsupported_value', `Content of type ${type} is not supported`, {
    param: `${path}.type`,
  })
}

function imagePart(
  { image_url: url, file_id: id, detail }: ContentItem,
  path: string,
): ContentPart {
  if (id != null)
    throw new GatewayError('unsupported_parameter', 'Images must be a URL or data, not a file id', {
      param: `${path}.file_id`,
    })
  if (url == null) throw missing(`${path}.image_url`)
  return { type: 'image_url', image_url: detail == null ? { url } : { url, detail } }
}

/** The file's URL is put where the data would be. For upstreams that cannot fetch it, the gateway does. */
function filePart(item: ContentItem, path: string): ContentPart {
  const { filename, file_data: data, file_id: id, file_url: url } = item
  const content = data ?? url
  if (content == null && id == null) throw missing(`${path}.file_data`)
  const file = {
    ...(filename == null ? {} : { filename }),
    ...(content == null ? {} : { file_data: content }),
    ...(id == null ? {} : { file_id: id }),
  }
  return { type: 'file', file }
}

const textTypes: ReadonlySet<string> = new Set(['output_text', 'input_text', 'text'])

/** The text and the refusal of an earlier response. `path` is its place, for errors. */
export function spokenContent(
  content: Content,
  path: string,
): {
  readonly text?: string
  readonly refusal?: string
} {
  if (typeof content === 'string') return { text: content }
  const texts: string[] = []
  const refusals: string[] = []
  for (const [index, { type, text, refusal }] of (content ?? []).entries()) {
    if (type === 'refusal') refusals.push(refusal ?? '')
    else if (!textTypes.has(type)) throw unknownContent(type, `${path}[${index}]`)
    else if (text != null) texts.push(text)
  }
  return {
    ...(texts.length === 0 ? {} : { text: texts.join('') }),
    ...(refusals.length === 0 ? {} : { refusal: refusals.join('') }),
  }
}

/** A tool's output: its texts for the tool message, and its images and files for a user message after it. */
export function toolOutput(
  output: Content,
  path: string,
): {
  readonly content: Exclude<Message['content'], undefined | null>
  readonly media: readonly ContentPart[]
} {
  if (typeof output === 'string') return { content: output, media: [] }
  const parts = (output ?? []).map((item, index) => partOf(item, `${path}[${index}]`))
  const texts = parts.filter(({ type }) => type === 'text')
  const media = parts.filter(({ type }) => type !== 'text')
  const [only] = texts
  if (only === undefined) return { content: '', media }
  return { content: texts.length === 1 ? (only.text ?? '') : texts, media }
}

/** A generated image is base64, or a web address if the upstream gave only that. */
export function drawnImageUrl(result: string, format?: string | null): string {
  return /^https?:/i.test(result) ? result : formatDataUrl(`image/${format ?? 'png'}`, result)
}

export function missing(param: string): GatewayError {
  return new GatewayError('missing_parameter', `Missing required parameter: '${param}'`, { param })
}
