import {
  type ContentPart,
  type Fields,
  type Message,
  registeredDataUrl,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { restore } from '../../carried-reasoning.ts'
import { pdfAsFile } from '../../file-types.ts'
import { fittedId } from '../../fitted-id.ts'
import { interleaved } from '../../interleaved.ts'
import { type KeptReasoning, noReasoning } from '../../lost-reasoning.ts'
import type { CodecContext } from '../../protocol.ts'
import { withSpeaker } from '../../with-speaker.ts'

interface InputContext {
  readonly context: CodecContext
  /** The kind of each call by its id, so that its result gets the same kind. */
  readonly kinds: Map<string, 'function' | 'custom'>
}

/**
 * A conversation as input items of Responses. A message with reasoning and calls becomes several items: reasoning first, then
 * the text, then the calls; each result is an item of its own. `first` is the index of `messages[0]` in the request, for the
 * paths in errors.
 */
export function encodeMessages(
  messages: readonly Message[],
  first: number,
  context: CodecContext,
): readonly Fields[] {
  const place: InputContext = { context, kinds: new Map() }
  return messages.flatMap((message, index) =>
    itemsOf(message, { ...place, path: `messages[${first + index}]` }),
  )
}

type MessagePlace = InputContext & { readonly path: string }

function itemsOf(message: Message, place: MessagePlace): readonly Fields[] {
  switch (message.role) {
    case 'assistant':
      return assistantItems(message, place)
    case 'tool':
      return [resultItem(message, message.tool_call_id ?? '', place)]
    case 'system':
    case 'developer':
    case 'user':
      return [
        { type: 'message', role: message.role, content: contentOf(withSpeaker(message), place) },
      ]
  }
}

function contentOf(content: Message['content'], place: MessagePlace): unknown {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part, index) => {
    const item = partOf(part, place.context, `${place.path}.content[${index}]`)
    return item === undefined ? [] : [item]
  })
}

function partOf(part: ContentPart, context: CodecContext, path: string): Fields | undefined {
  const pdf = pdfAsFile(part)
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text ?? '' }
    case 'image_url':
      if (pdf !== undefined) return fileOf(pdf)
      return {
        type: 'input_image',
        image_url: registeredDataUrl(part.image_url?.url ?? ''),
        detail: part.image_url?.detail ?? 'auto',
      }
    case 'file':
      return fileOf(part)
    case 'refusal':
      return { type: 'refusal', refusal: part.refusal ?? '' }
    case 'input_audio':
    case 'video_url':
      context.unsupported(`${path}.${part.type}`)
      return undefined
  }
}

/** Unlike chat completions, Responses fetches files by their address. */
function fileOf({ file }: ContentPart): Fields {
  const { filename, file_data: data, file_id: id } = file ?? {}
  if (data != null && /^https?:/i.test(data)) return { type: 'input_file', file_url: data }
  return {
    type: 'input_file',
    ...(filename == null ? {} : { filename }),
    ...(data == null ? {} : { file_data: data }),
    ...(id == null ? {} : { file_id: id }),
  }
}

function assistantItems(message: Message, place: MessagePlace): readonly Fields[] {
  if (message.audio != null) place.context.unsupported(`${place.path}.audio`)
  if (!isFollowed(message)) return []
  const content = spokenParts(message)
  const calls = message.tool_calls ?? []
  return interleaved(
    (message.thinking_blocks ?? []).map((block) => ({ ...block, pieces: reasoningItem(block) })),
    content.length === 0 ? [] : [{ type: 'message', role: 'assistant', content }],
    calls.map((call) => [callItem(call, place)]),
  )
}

/** OpenAI rejects reasoning without an item after it. */
function isFollowed(message: Message): boolean {
  return (message.tool_calls ?? []).length > 0 || spokenParts(message).length > 0
}

function spokenParts({ content, refusal }: Message): readonly Fields[] {
  const parts: readonly Pick<ContentPart, 'type' | 'text' | 'refusal'>[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  const spoken = parts.flatMap((part): readonly Fields[] => {
    if (part.type === 'refusal') return [{ type: 'refusal', refusal: part.refusal ?? '' }]
    return part.text === undefined || part.text === '' ? [] : [outputText(part.text)]
  })
  return refusal == null || refusal === '' ? spoken : [...spoken, { type: 'refusal', refusal }]
}

function outputText(text: string): Fields {
  return { type: 'output_text', text, annotations: [] }
}

export const keptReasoning: KeptReasoning = {
  ...noReasoning,
  block: (block, message) => reasoningItem(block).length > 0 && isFollowed(message),
}

/** Only reasoning that this API encrypted can be sent back; nothing is stored under the ids of other reasoning. */
function reasoningItem(block: ThinkingBlock): readonly Fields[] {
  const { type, id, summary, encrypted_content: encrypted } = block
  if (type !== 'reasoning' || encrypted == null || encrypted === '') return []
  if (restore(encrypted) !== undefined) return []
  const texts = (summary ?? []).map((text) => ({ type: 'summary_text', text }))
  return [
    { type, ...(id === undefined ? {} : { id }), summary: texts, encrypted_content: encrypted },
  ]
}

/** OpenAI responds with 400 to longer ids. */
const callIdCharactersMax = 64

/** A gateway's id may carry what it needs back. */
function callIdOut(id: string, { context }: InputContext): string {
  return context.isGateway === true ? id : fittedId(id, callIdCharactersMax)
}

function callItem(call: ToolCall, place: InputContext): Fields {
  const { id, custom } = call
  if (custom !== undefined) {
    place.kinds.set(id, 'custom')
    return {
      type: 'custom_tool_call',
      call_id: callIdOut(id, place),
      name: custom.name,
      input: custom.input,
    }
  }
  const { name, arguments: text } = call.function ?? { name: '', arguments: '' }
  return {
    type: 'function_call',
    call_id: callIdOut(id, place),
    name,
    arguments: text,
  }
}

function resultItem(message: Message, id: string, place: MessagePlace): Fields {
  const type = place.kinds.get(id) === 'custom' ? 'custom_tool_call_output' : 'function_call_output'
  return {
    type,
    call_id: callIdOut(id, place),
    output: contentOf(message.content, place),
  }
}
