import { hash } from 'node:crypto'
import { type Fields, isObject, listOf, type Message, objectOf, textOf } from '@sluice/contract'
import type { Quirk } from '../../protocol.ts'
import { withSpeaker } from '../../with-speaker.ts'
import { overBody, overMessages } from './quirks.ts'

// Chat completions as Mistral has them, which refuses what it does not know (https://docs.mistral.ai/api).

/** Mistral accepts reasoning in the form in which it returns it: as a part before the text (Mistral docs, reasoning). */
const thinkingAsPart: Quirk = overMessages((message) => {
  const { reasoning_content: reasoning, content, ...rest } = message
  if (reasoning === undefined) return message
  if (typeof reasoning !== 'string' || reasoning === '') return { ...rest, content }
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: reasoning }] }
  return { ...rest, content: [thinking, ...parts.filter(isSaid)] }
})

function isSaid(part: unknown): boolean {
  return !isObject(part) || part['type'] !== 'text' || part['text'] !== ''
}

/**
 * For upstreams that refuse whatever they do not know in a message, even null: without the empty fields of OpenAI's answers, which
 * clients send back as they got them.
 */
export const withoutEmptyFields: Quirk = overMessages((message) => {
  const { content } = message
  const whole = withoutEmpty(message)
  if (!Array.isArray(content)) return whole
  const parts = content.map((part) => (isObject(part) ? withoutEmpty(part) : part))
  return parts.every((part, at) => part === content[at]) ? whole : { ...whole, content: parts }
})

const ofAnswers = ['refusal', 'audio', 'function_call', 'annotations', 'tool_calls']

/** A message or a part of one. */
function withoutEmpty(fields: Fields): Fields {
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)
  const empty = ofAnswers.filter((name) => isEmpty(fields[name]))
  if (empty.length === 0) return fields
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !empty.includes(name)))
}

/**
 * For upstreams where only tool messages have names (Mistral API, UserMessage: microsoft/autogen#2748). That of a user is written
 * before the text, that of an assistant says nothing new.
 */
export const nameBeforeText: Quirk = overMessages((message) => {
  const { name: _, ...rest } = message
  if (!('name' in message) || rest['role'] === 'tool') return message
  return rest['content'] === undefined
    ? rest
    : { ...rest, content: withSpeaker(message as unknown as Message) }
})

/** For upstreams that demand the `parameters` of a tool, also of one that takes none (Mistral API, Function). */
export const withParameters: Quirk = overBody(['chat'], (body) => {
  const tools = listOf(body['tools'])
  const lacks = (tool: unknown) =>
    isObject(tool) && isObject(tool['function']) && tool['function']['parameters'] == null
  if (!tools.some(lacks)) return body
  const parameters = { type: 'object', properties: {} }
  return {
    ...body,
    tools: tools.map((tool) =>
      lacks(tool)
        ? { ...objectOf(tool), function: { ...objectOf(objectOf(tool)['function']), parameters } }
        : tool,
    ),
  }
})

/**
 * Mistral's order of roles (`invalid_request_message_order`): a user message cannot follow a tool's result, and a last message
 * of the assistant must be marked as a prefix to continue (QuantumNous/new-api#2858, zed-industries/zed#31736).
 */
export const mistralOrder: Quirk = overBody(['chat'], (body) => {
  const messages = listOf(body['messages']).filter(isObject)
  const ordered = messages.flatMap((message, index) => {
    const { role, prefix } = message
    if (role === 'user' && messages[index - 1]?.['role'] === 'tool')
      return [{ role: 'assistant', content: noWords }, message]
    const isPrefill = role === 'assistant' && index === messages.length - 1 && prefix === undefined
    return [isPrefill ? { ...message, prefix: true } : message]
  })
  const isSame =
    ordered.length === messages.length && ordered.every((one, index) => one === messages[index])
  return isSame ? body : { ...body, messages: ordered }
})

/** The text used where an upstream requires an assistant message and there is none. */
const noWords = '.'

/** Mistral's tool call ids have nine letters or digits. Other ids are replaced by their hash, which is always the same. */
export const mistralToolIds: Quirk = overMessages((message) => {
  const { tool_calls: calls, tool_call_id: answered } = message
  if (typeof answered === 'string') {
    const id = nineCharacters(answered)
    return id === answered ? message : { ...message, tool_call_id: id }
  }
  const given = listOf(calls).filter(isObject)
  if (given.every(({ id }) => id === nineCharacters(textOf(id)))) return message
  return {
    ...message,
    tool_calls: given.map((call) => ({ ...call, id: nineCharacters(textOf(call['id'])) })),
  }
})

function nineCharacters(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id
  return hash('sha256', id, 'base64')
    .replaceAll(/[^a-zA-Z0-9]/g, '')
    .slice(0, 9)
}

/** Mistral's name for a tool choice that requires a call. */
export const requiredAsAny: Quirk = overBody(['chat'], (body) =>
  body['tool_choice'] === 'required' ? { ...body, tool_choice: 'any' } : body,
)

/** All of it, in order. */
export const mistralForm: readonly Quirk[] = [
  withoutEmptyFields,
  nameBeforeText,
  mistralToolIds,
  mistralOrder,
  thinkingAsPart,
  requiredAsAny,
  withParameters,
]
