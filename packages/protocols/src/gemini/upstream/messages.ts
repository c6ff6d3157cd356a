import type { ContentPart, Message, ToolCall } from '@sluice/contract'
import { lackDetail } from '../../decisions.ts'
import { generationOf, takesPrefill } from '../../families/gemini.ts'
import { lackPrefill } from '../../prefill.ts'
import type { CodecContext } from '../../protocol.ts'
import { functionResponses, isToolResult } from '../function-responses.ts'
import type { Content, Part } from '../generate-content.ts'
import { answerParts } from './answer-parts.ts'
import { mediaAddress, mediaPart } from './media-part.ts'

interface Conversation {
  readonly contents: readonly Content[]
  readonly systemInstruction?: { readonly parts: readonly Part[] }
}

/** Stands where Gemini wants a user's turn and the caller has none. */
const noWords = '.'

/**
 * The messages as Gemini's contents. System and developer messages at the head become the system instruction; one in
 * the middle stays where it was said, as text between `<system>` tags in the user's turn, because moving it to the
 * head would make it hold from the beginning. Neighbours of one role are merged, the first turn is the user's, and the
 * results of one step's calls are one content of nothing else, as many as the calls (Gemini API, function calling).
 */
export function encodeMessages(messages: readonly Message[], context: CodecContext): Conversation {
  const head = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const count = head < 0 ? messages.length : head
  const system = messages.slice(0, count).flatMap((message) => textParts(message))
  const said = contentsOf(messages, count, context)
  const contents: Content[] =
    said[0]?.role === 'user' ? [...said] : [{ role: 'user', parts: [{ text: noWords }] }, ...said]
  if (contents.at(-1)?.role === 'model' && !takesPrefill(context.model)) {
    lackPrefill(messages, context)
    contents.push({ role: 'user', parts: [{ text: noWords }] })
  }
  return { contents, ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }) }
}

function contentsOf(
  messages: readonly Message[],
  from: number,
  context: CodecContext,
): readonly Content[] {
  let calls: readonly ToolCall[] = []
  /** From the message at hand to this one there are no results. */
  let withoutResults = from
  const merged: { role: Content['role']; results: boolean; parts: Part[] }[] = []
  const add = (role: Content['role'], parts: readonly Part[], results = false): void => {
    const last = merged.at(-1)
    if (parts.length === 0) return
    if (last?.role === role && last.results === results) last.parts.push(...parts)
    else merged.push({ role, results, parts: [...parts] })
  }
  for (let index = from; index < messages.length; index += 1) {
    const message = messages[index]
    if (message === undefined) continue
    const path = `messages[${index}]`
    const { end, until } =
      index < withoutResults ? { end: index, until: withoutResults } : resultsFrom(messages, index)
    withoutResults = until
    if (end > index) {
      const run = messages.slice(index, end)
      add('user', functionResponses(run.filter(isToolResult), calls), true)
      add('user', mediaOfResults(run, index, context))
      add('user', run.filter((one) => !isToolResult(one)).flatMap(markedSystem))
      index = end - 1
    } else if (message.role === 'assistant') {
      calls = message.tool_calls ?? []
      add('model', answerParts(message, path, context))
    } else if (message.role === 'user')
      add('user', named(message, userParts(message, path, context)))
    else add('user', markedSystem(message))
  }
  return merged.map(({ role, parts }) => ({ role, parts }))
}

/**
 * After a run of results from here on, or here; a system message between must not tear them apart. `until` is how far was
 * looked.
 */
function resultsFrom(
  messages: readonly Message[],
  start: number,
): { readonly end: number; readonly until: number } {
  let end = start
  let until = start
  for (; until < messages.length; until += 1) {
    const message = messages[until]
    if (message === undefined) break
    if (isToolResult(message)) end = until + 1
    else if (message.role !== 'system' && message.role !== 'developer') break
  }
  return { end, until: Math.max(end, until) }
}

function textParts({ content }: Message): readonly Part[] {
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => text)
  return parts.flatMap((text) => (text === undefined || text === '' ? [] : [{ text }]))
}

function markedSystem(message: Message): readonly Part[] {
  return textParts(message).map(({ text }) => ({ text: `<system>\n${text}\n</system>` }))
}

/** Who of several users speaks; a content has no field for it. */
function named({ name }: Message, parts: readonly Part[]): readonly Part[] {
  const [first, ...rest] = parts
  if (name == null || name === '' || first === undefined) return parts
  return first.text === undefined
    ? [{ text: `${name}:` }, ...parts]
    : [{ ...first, text: `${name}: ${first.text}` }, ...rest]
}

function userParts(message: Message, path: string, context: CodecContext): readonly Part[] {
  const { content } = message
  if (typeof content === 'string' || content == null) return textParts(message)
  return content.flatMap((part, index) => userPart(part, `${path}.content[${index}]`, context))
}

function userPart(part: ContentPart, path: string, context: CodecContext): readonly Part[] {
  if (part.type === 'text') return part.text ? [{ text: part.text }] : []
  if (part.input_audio !== undefined) {
    const { data, format } = part.input_audio
    return [{ inlineData: { mimeType: `audio/${format}`, data } }]
  }
  const { file } = part
  if (file?.file_data == null && file?.file_id != null) return filePart(file.file_id, path, context)
  const address = mediaAddress(part, path)
  if (address === undefined) return []
  const media = mediaPart(address, context, file?.filename)
  return [{ ...media, ...resolutionOf(part, path, context) }]
}

/** Results are objects: what a tool shows stands behind them, in the order of the results. */
function mediaOfResults(
  run: readonly Message[],
  start: number,
  context: CodecContext,
): readonly Part[] {
  return run.flatMap(({ role, content }, offset) =>
    role !== 'tool' || typeof content === 'string'
      ? []
      : (content ?? []).flatMap((part, index) =>
          part.type === 'text'
            ? []
            : userPart(part, `messages[${start + offset}].content[${index}]`, context),
        ),
  )
}

/** Ids are of Gemini's own Files API, `files/abc` or its whole address; others are unknown there. */
function filePart(id: string, path: string, context: CodecContext): readonly Part[] {
  const root = 'https://generativelanguage.googleapis.com/v1beta/'
  if (id.startsWith('gs://') || id.startsWith(root)) return [{ fileData: { fileUri: id } }]
  if (id.startsWith('files/')) return [{ fileData: { fileUri: root + id } }]
  context.unsupported(`${path}.file.file_id`)
  return []
}

const resolutions: Readonly<Record<string, string>> = {
  low: 'MEDIA_RESOLUTION_LOW',
  high: 'MEDIA_RESOLUTION_HIGH',
  original: 'MEDIA_RESOLUTION_ULTRA_HIGH',
}

/** Per part from Gemini 3 on; older models always look closely, so that only `low` asks for something else. */
function resolutionOf(part: ContentPart, path: string, context: CodecContext): Partial<Part> {
  const detail = part.image_url?.detail
  const level = detail == null ? undefined : resolutions[detail]
  if (level === undefined) return {}
  if (generationOf(context.model) >= 3) return { mediaResolution: { level } }
  if (detail === 'low') lackDetail(part, path, context)
  return {}
}
