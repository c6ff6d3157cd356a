import { reportUnsupportedDetail } from '../../neutral-values.ts'
import type { ContentPart, Message, ToolCall } from '@sluice/contract'
import { readArguments } from '../../call-arguments.ts'
import { callSignature } from '../../call-signature.ts'
import {
  demandsSignatures,
  generationOf,
  takesPrefill,
  takesIdsAtVertex,
} from '../../families/gemini.ts'
import { mediaAddress } from '../../media-addresses.ts'
import { type KeptReasoning } from '../../lost-reasoning.ts'
import type { CodecContext } from '../../protocol.ts'
import {
  markedSystem,
  named,
  noWords,
  openingSystems,
  reportUnsupportedPrefill,
} from '../../turns.ts'
import { functionResponses } from '../function-responses.ts'
import type { Content, Part } from '../generate-content.ts'
import { mediaPart } from './media-part.ts'
import { signatureBypass } from './signed-calls.ts'

interface Conversation {
  readonly contents: readonly Content[]
  readonly systemInstruction?: { readonly parts: readonly Part[] }
}

/**
 * Translates the messages into Gemini's contents. System and developer messages at the beginning become the system
 * instruction. One in the middle stays at its place, as text between `<system>` tags in the user's turn, because at the
 * beginning it would apply to the whole conversation. Neighboring messages of one role are merged, the first turn is the
 * user's, and the results for one step's calls form a content of their own, with as many results as calls (Gemini API,
 * function calling).
 */
export function encodeMessages(messages: readonly Message[], context: CodecContext): Conversation {
  const count = openingSystems(messages)
  const system = messages.slice(0, count).flatMap((message) => textParts(message))
  const turns = contentsOf(messages, count, context)
  const contents: Content[] =
    turns[0]?.role === 'user'
      ? [...turns]
      : [{ role: 'user', parts: [{ text: noWords }] }, ...turns]
  if (contents.at(-1)?.role === 'model' && !takesPrefill(context.family)) {
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
    if (message.role === 'tool') {
      const results = resultsFrom(messages, index)
      const parts = functionResponses(results, calls)
      add('user', takesCallIds(context) ? parts : parts.map(withoutId), true)
      add('user', mediaOfResults(results, index, context))
      index += results.length - 1
    } else if (message.role === 'assistant') {
      calls = message.tool_calls ?? []
      add('model', answerParts(message, path, context))
    } else if (message.role === 'user')
      add('user', named(message, userParts(message, path, context), textPart))
    else add('user', textParts(message).map(markedSystem))
  }
  return merged.map(({ role, parts }) => ({ role, parts }))
}

function withoutId(part: Part): Part {
  const { functionResponse: response } = part
  if (response === undefined) return part
  const { id: _, ...rest } = response
  return { ...part, functionResponse: rest }
}

/** The run of results that starts here. */
function resultsFrom(messages: readonly Message[], start: number): readonly Message[] {
  let end = start + 1
  while (messages[end]?.role === 'tool') end += 1
  return messages.slice(start, end)
}

function textPart(text: string): Part {
  return { text }
}

function textParts({ content }: Message): readonly Part[] {
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => text)
  return parts.flatMap((text) => (text === undefined || text === '' ? [] : [{ text }]))
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
  results: readonly Message[],
  start: number,
  context: CodecContext,
): readonly Part[] {
  return results.flatMap(({ content }, offset) =>
    (Array.isArray(content) ? content : []).flatMap((part, index) =>
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
  if (generationOf(context.family) >= 3) return { mediaResolution: { level } }
  if (detail === 'low') reportUnsupportedDetail(part, path, context)
  return {}
}

/** Gemini's own thoughts are in the signatures. */
export const keptReasoning: KeptReasoning = {
  text: ({ tool_calls: calls }) =>
    calls?.some((call) => callSignature(call) !== undefined) === true,
  block: ({ type, signature }) => type === 'thought' && signature != null,
  attached: () => true,
}

/**
 * An assistant message of the history: text, then calls. Thoughts need not be sent back, but their signatures must be, each in
 * the part that it came with. Reasoning of other providers has no meaning here and is not sent.
 */
function answerParts(message: Message, path: string, context: CodecContext): readonly Part[] {
  if (message.audio != null) context.unsupported(`${path}.audio`)
  const signatures = (message.thinking_blocks ?? []).flatMap((block) =>
    block.type === 'thought' && block.signature != null ? [block.signature] : [],
  )
  const last = signatures.at(-1)
  const text = textOf(message)
  return [
    ...signatures.slice(0, -1).map((thoughtSignature) => ({ text: '', thoughtSignature })),
    ...(text === '' && last === undefined
      ? []
      : [{ text, ...(last === undefined ? {} : { thoughtSignature: last }) }]),
    ...callParts(message, path, context),
  ]
}

/** For Gemini, text and refusal are the same. */
function textOf({ content, refusal }: Message): string {
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(textOfPart)
  return parts.join('') || (refusal ?? '')
}

function textOfPart(part: { readonly text?: string; readonly refusal?: string }): string {
  return part.text ?? part.refusal ?? ''
}

function callParts(message: Message, path: string, context: CodecContext): readonly Part[] {
  const { family: model } = context
  const calls = message.tool_calls ?? []
  const parts = calls.map((call, index): Part => {
    const signature = callSignature(call)
    return {
      functionCall: functionCallOf(call, `${path}.tool_calls[${index}]`, context),
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    }
  })
  const [first, ...rest] = parts
  if (first === undefined) return []
  if (first.thoughtSignature !== undefined || !demandsSignatures(model)) return parts
  return [{ ...first, thoughtSignature: signatureBypass }, ...rest]
}

/** Vertex AI, which has a project, refuses ids for models before Gemini 3. */
function takesCallIds({ family, settings }: CodecContext): boolean {
  return settings['project'] === undefined || takesIdsAtVertex(family)
}

function functionCallOf(
  call: ToolCall,
  path: string,
  context: CodecContext,
): NonNullable<Part['functionCall']> {
  const { name = '', arguments: text = '' } = call.function ?? {}
  const id = takesCallIds(context) ? { id: call.id } : {}
  return { ...id, name, args: readArguments(text, `${path}.function.arguments`) }
}
