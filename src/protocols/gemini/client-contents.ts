import { invalidRequest } from '../../core/errors.ts'
import type {
  ContentPart,
  Message,
  ThinkingBlock,
  ToolCall,
} from '../../operations/chat-message.ts'
import { formatJson } from '../../wire/json.ts'
import { type Fields, isObject, listOf, objectOf, someText, textOf } from '../openai/reading.ts'
import { withSignature } from './answer-parts.ts'
import { missing, pick, refuse } from './client-fields.ts'
import { mediaContent } from './client-media.ts'
import { restoreBlocks } from './client-signature.ts'
import { textOfResponse } from './function-responses.ts'

/** A call of the model's last turn that no result has answered yet. */
interface OpenCall {
  readonly id: string
  readonly name: string
}

/** Parts that only Gemini's own tools make and read. */
const ownParts = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse']

/** Gemini's contents as chat messages; `path` is where they are in the client's request. */
export function messagesOf(
  contents: readonly unknown[],
  path: string,
  newId: (prefix: string) => string,
): readonly Message[] {
  const messages: Message[] = []
  let open: readonly OpenCall[] = []
  for (const [index, content] of contents.entries()) {
    const fields = objectOf(content)
    const place = `${path}[${index}].parts`
    const parts = listOf(fields['parts']).filter(isObject)
    refuseOwnParts(parts, place)
    if (fields['role'] === 'model') {
      const message = assistantMessage(parts, place, newId)
      open = (message.tool_calls ?? []).map(({ id, function: made }) => ({
        id,
        name: made?.name ?? '',
      }))
      messages.push(message)
    } else {
      const results = toolMessages(parts, place, open)
      const answered = new Set(results.map(({ tool_call_id: id }) => id))
      open = open.filter(({ id }) => !answered.has(id))
      messages.push(...results, ...userMessages(parts, place))
    }
  }
  return messages
}

function refuseOwnParts(parts: readonly Fields[], path: string): void {
  for (const [index, part] of parts.entries())
    for (const name of ownParts)
      if (pick(part, name) !== undefined) refuse(`${path}[${index}].${name}`)
}

export function textsOf(parts: readonly Fields[]): readonly string[] {
  return parts
    .filter((part) => part['thought'] !== true)
    .map((part) => textOf(part['text']))
    .filter((text) => text !== '')
}

function assistantMessage(
  parts: readonly Fields[],
  path: string,
  newId: (prefix: string) => string,
): Message {
  for (const [index, part] of parts.entries())
    for (const name of ['inlineData', 'fileData', 'functionResponse'])
      if (pick(part, name) !== undefined)
        refuse(`${path}[${index}].${name}`, 'it cannot be in the model’s turn')
  const text = textsOf(parts).join('')
  const thoughts = parts.filter((part) => part['thought'] === true)
  const reasoning = thoughts.map((part) => textOf(part['text'])).join('')
  const calls = parts.flatMap((part, index) => toolCalls(part, `${path}[${index}]`, newId))
  const blocks = parts.flatMap(blocksOf)
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function blocksOf(part: Fields): readonly ThinkingBlock[] {
  const signature = someText(pick(part, 'thoughtSignature'))
  if (signature === undefined) return []
  const carried = restoreBlocks(signature)
  if (carried !== undefined) return carried
  return pick(part, 'functionCall') === undefined ? [{ type: 'thought', signature }] : []
}

function toolCalls(
  part: Fields,
  path: string,
  newId: (prefix: string) => string,
): readonly ToolCall[] {
  const call = pick(part, 'functionCall')
  if (!isObject(call)) return []
  const name = someText(call['name'])
  if (name === undefined) throw missing(`${path}.functionCall.name`)
  const signature = someText(pick(part, 'thoughtSignature'))
  const isOwn = signature !== undefined && restoreBlocks(signature) === undefined
  return [
    {
      id: someText(call['id']) ?? newId('call_'),
      type: 'function',
      function: { name, arguments: formatJson(call['args'] ?? {}) },
      ...(isOwn ? withSignature(signature) : {}),
    },
  ]
}

/** Results stand first, as chat wants them: right behind the calls they answer. */
function toolMessages(
  parts: readonly Fields[],
  path: string,
  given: readonly OpenCall[],
): readonly Message[] {
  let open = given
  return parts.flatMap((part, index): readonly Message[] => {
    const response = pick(part, 'functionResponse')
    if (!isObject(response)) return []
    const place = `${path}[${index}].functionResponse`
    if (listOf(response['parts']).length > 0) refuse(`${place}.parts`)
    const call = answeredCall(response, open)
    if (call === undefined)
      throw invalidRequest('No function call of the model’s last turn has this result', place)
    open = open.filter((other) => other !== call)
    return [{ role: 'tool', tool_call_id: call.id, content: textOfResponse(response['response']) }]
  })
}

/** By id where there is one, else the first open call of the function. */
function answeredCall(response: Fields, open: readonly OpenCall[]): OpenCall | undefined {
  const id = someText(response['id'])
  return open.find((call) => call.id === id) ?? open.find((call) => call.name === response['name'])
}

function userMessages(parts: readonly Fields[], path: string): readonly Message[] {
  const content = parts.flatMap((part, index): readonly ContentPart[] => {
    const text = someText(part['text'])
    if (text !== undefined) return part['thought'] === true ? [] : [{ type: 'text', text }]
    if (pick(part, 'functionCall') !== undefined)
      throw invalidRequest('Function calls are the model’s', `${path}[${index}].functionCall`)
    return mediaContent(part, `${path}[${index}]`)
  })
  const [first] = content
  if (first === undefined) return []
  const isText = content.length === 1 && first.type === 'text'
  return [{ role: 'user', content: isText ? (first.text ?? '') : content }]
}
