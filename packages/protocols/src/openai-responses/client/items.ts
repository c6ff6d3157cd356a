import {
  type ChoiceLogprobs,
  type Fields,
  objectOf,
  parseDataUrl,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { annotationsName, readCitation } from '../../citations.ts'
import type { Reports } from '../../native-target.ts'
import type { OutputItem } from './schema.ts'

export function textPart(
  text: string,
  extra: {
    readonly annotations?: readonly Fields[]
    readonly logprobs?: ChoiceLogprobs | null
  } = {},
): Fields {
  const { annotations = [], logprobs } = extra
  return { type: 'output_text', annotations, logprobs: logprobs?.content ?? [], text }
}

/**
 * Chat completions nest a citation in a field of its type. Here it is flat, and a file has a name and an index
 * (ResponseOutputText.FileCitation, URLCitation). Passages of the source have no field, and are reported.
 */
export function flatAnnotation(annotation: Fields, { leftOut }: Pick<Reports, 'leftOut'>): Fields {
  const { type } = annotation
  if (readCitation(annotation)?.quote !== undefined) leftOut(`${annotationsName}.quote`)
  const { [textOf(type)]: nested, ...rest } = annotation
  const flat = { ...rest, ...objectOf(nested) }
  if (type === 'url_citation') {
    const { content: _, ...page } = flat
    return page
  }
  if (type !== 'file_citation') return flat
  const { title = '', range } = readCitation(annotation) ?? {}
  const { file_id: id = title, filename = title, index = range?.end ?? 0 } = flat
  return { type, file_id: id, filename, index }
}

export function messageItem(
  id: string,
  { content, status }: { readonly content: readonly Fields[]; readonly status: string },
): OutputItem {
  return { id, type: 'message', status, role: 'assistant', content }
}

/** A function is called with an object, so empty arguments become an empty object. */
export function callItem(call: ToolCall, id: string, status: string): OutputItem {
  const { custom } = call
  if (custom !== undefined)
    return { id, type: 'custom_tool_call', status, call_id: call.id, ...custom }
  const { name, arguments: text } = call.function ?? { name: '', arguments: '' }
  return { id, type: 'function_call', status, call_id: call.id, name, arguments: text || '{}' }
}

/**
 * An image that the model generated. There is no field for an image given only by its address, so the address becomes the
 * result.
 */
export function imageItem(id: string, url: string): OutputItem {
  const data = parseDataUrl(url)
  const picture =
    data === undefined
      ? { result: url }
      : { output_format: data.contentType.replace('image/', ''), result: data.base64 }
  return { id, type: 'image_generation_call', status: 'completed', ...picture }
}
