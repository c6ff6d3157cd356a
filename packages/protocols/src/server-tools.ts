import {
  type Fields,
  formatJson,
  isObject,
  listOf,
  objectOf,
  parsedJson,
  type ServerToolCall,
  someText,
  textOf,
} from '@sluice/contract'
import type { Reports } from './native-target.ts'

// Calls of tools that a provider runs itself. Every format has items of its own for them.

/** Reports a part of the response that the caller's format cannot express. */
export function nameUntold(
  { type }: ServerToolCall,
  { leftOut }: Pick<Reports, 'leftOut'>,
  field?: string,
): void {
  leftOut(`answer.${type}${field === undefined ? '' : `.${field}`}`)
}

/** A call and its result as text, so that a model of another provider can continue the conversation. */
export function serverToolText({
  type,
  name,
  server_label,
  input,
  output,
}: ServerToolCall): string {
  const tool = [server_label, name ?? type].filter((word) => word !== undefined).join('.')
  const call = `[${tool} was called with ${formatJson(input)}]`
  return output === undefined ? call : `${call}\n[${tool} gave: ${textForm(output)}]`
}

/** A text unchanged, everything else as JSON. */
export function textForm(value: unknown): string {
  return typeof value === 'string' ? value : formatJson(value)
}

/** The value without the contents that only their provider can read. */
export function withoutEncrypted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEncrypted)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !name.startsWith('encrypted_'))
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutEncrypted(field)]))
}

/** Parses an object that was written as text. Other text is returned under `input`. */
export function readInput(text: unknown): Fields {
  const value = isObject(text) ? text : parsedJson(textOf(text))
  if (isObject(value)) return value
  return textOf(text) === '' ? {} : { input: text }
}

/** The queries of a search. */
export function queriesOf({ input }: ServerToolCall): readonly string[] {
  const queries = listOf(input['queries']).filter((query) => typeof query === 'string')
  const query = someText(input['query'])
  return query === undefined || queries.includes(query) ? queries : [query, ...queries]
}

/** The pages that a search found. */
export function pagesOf({
  output,
}: ServerToolCall): readonly { readonly url: string; readonly title: string }[] {
  return listOf(output).flatMap((page) => {
    const { url, title } = objectOf(page)
    const address = someText(url)
    return address === undefined ? [] : [{ url: address, title: textOf(title) }]
  })
}

/** The output of code. Anything but such an object is the output itself. */
export function logsOf({ output }: ServerToolCall): string {
  if (!isObject(output)) return output === undefined ? '' : textForm(output)
  const { stdout, stderr, error_code: code } = output
  if (stdout === undefined && stderr === undefined && code === undefined) return textForm(output)
  return [stdout, stderr, code].filter((text) => typeof text === 'string' && text !== '').join('\n')
}

export function codeOf({ input }: ServerToolCall): string {
  return someText(input['code']) ?? someText(input['command']) ?? formatJson(input)
}

/**
 * Content of a response of a kind that the gateway does not read. Chat completions carry it as something that the provider did itself,
 * so that each client format has it, or its absence is reported.
 */
export function unreadContent(kind: string, content: unknown): ServerToolCall {
  return { id: '', type: kind, input: isObject(content) ? content : { content } }
}
