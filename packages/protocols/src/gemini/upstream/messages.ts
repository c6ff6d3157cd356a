import type { ContentPart, Message, ToolCall } from '@sluice/contract'
import { reportUnsupportedDetail } from '../../decisions.ts'
import { generationOf, takesPrefill } from '../../families/gemini.ts'
import { reportUnsupportedPrefill } from '../../prefill.ts'
import type { CodecContext } from '../../protocol.ts'
import { functionResponses, isToolResult } from '../function-responses.ts'
import type { Content, Part } from '../generate-content.ts'
import { answerParts } from './answer-parts.ts'
import { mediaAddress, mediaPart } from './media-part.ts'

interface Conversation {
  readonly contents: readonly Content[]
  readonly systemInstruction?: { readonly parts: readonly Part[] }
}

/** The text used where Gemini requires a user's turn and the caller has none. */
const noWords = '.'

/**
 * Translates the messages into Gemini's contents. System and developer messages at the beginning become the system
 * instruction. One in the middle stays at its place, as text between `<system>` tags in the user's turn, because at the
 * beginning it would apply to the whole conversation. Neighbouring messages of one role are merged, the first turn is the
 * user's, and the results for one step's calls form a content of their own, with as many results as calls (Gemini API,
 * function calling).
 */
export function encodeMessages(messages: readonly Message[], context: CodecContext): Conversation {
  const head = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const count = head < 0 ? messages.length : head
  const system = messages.slice(0, count).flatMap((message) => textParts(message))
  const turns = contentsOf(messages, count, context)
  const contents: Content[] =
    turns[0]?.role === 'user'
      ? [...turns]
      : [{ role: 'user', parts: [{ text: noWords }] }, ...turns]
  if (contents.at(-1)?.role === 'model' && !takesPrefill(context.model)) {
    reportUnsupportedPrefill(messages, context)
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
  /** There are no results between the current message and this index. */
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
 * Returns in `end` the index after a run of results that starts here, or `start` if there is none. A system message in between
 * must not split the run. `until` is how far the search went.
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

/** Writes the name of the speaking user before the text, because a content has no field for it. */
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

/** Results are objects, so the media of tool results follow them, in the order of the results. */
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

/** Only ids of Gemini's own Files API can be used: `files/abc`, its full address, or an address in Cloud Storage. */
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

/**
 * From Gemini 3 on the resolution is set per part. Older models always use a high resolution, so that only `low` asks for
 * something they do not support.
 */
function resolutionOf(part: ContentPart, path: string, context: CodecContext): Partial<Part> {
  const detail = part.image_url?.detail
  const level = detail == null ? undefined : resolutions[detail]
  if (level === undefined) return {}
  if (generationOf(context.model) >= 3) return { mediaResolution: { level } }
  if (detail === 'low') reportUnsupportedDetail(part, path, context)
  return {}
}
