import { hash } from 'node:crypto'
import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type OperationName,
  textOf,
} from '@sluice/contract'
import type { UpstreamRequest } from '../../protocol.ts'

/**
 * A small difference between a compatible upstream and OpenAI, as a function over the outgoing request. It returns the
 * same object where there is nothing to change. Fields that an upstream lacks are not removed here but refused: see
 * `lacks` of the codecs.
 */
export type Variant = (request: UpstreamRequest, operation: OperationName) => UpstreamRequest

/** Fields that never change an answer, and that some upstreams refuse to read. */
export type HintField =
  | 'user'
  | 'safety_identifier'
  | 'prompt_cache_key'
  | 'metadata'
  | 'stream_options'
  | 'service_tier'
  | 'store'

/** Leaves hints out: for upstreams that answer 400 to fields they do not know. */
export function withoutHints(...names: readonly HintField[]): Variant {
  return overBody(['chat', 'complete', 'embed'], (body) =>
    names.some((name) => name in body)
      ? Object.fromEntries(
          Object.entries(body).filter(([name]) => !(names as readonly string[]).includes(name)),
        )
      : body,
  )
}

/** For upstreams that refuse `stream_options`; they put usage into the last chunk or say nothing of it. */
export const noStreamOptions: Variant = withoutHints('stream_options')

/** Another name for a field, such as Mistral's `random_seed`. */
export function renameField(from: string, to: string, operation: OperationName = 'chat'): Variant {
  return overBody([operation], (body) => {
    if (!(from in body)) return body
    const { [from]: value, ...rest } = body
    return to in rest ? rest : { ...rest, [to]: value }
  })
}

/** For upstreams that only know the older `max_tokens`. */
export const maxTokensOnly: Variant = overBody(['chat'], (body) => {
  const { max_completion_tokens: most, ...rest } = body
  return most === undefined ? body : { ...rest, max_tokens: most }
})

/** For upstreams or models that refuse the older `max_tokens`. */
export const maxCompletionTokensOnly: Variant = overBody(['chat'], (body) => {
  const { max_tokens: older, ...rest } = body
  return older === undefined ? body : { max_completion_tokens: older, ...rest }
})

/** For upstreams without the role `developer`. */
export const developerAsSystem: Variant = overMessages((message) =>
  message['role'] === 'developer' ? { ...message, role: 'system' } : message,
)

/** For upstreams whose messages hold only a string: text parts are joined; other kinds of parts are left alone. */
export const joinTextParts: Variant = overMessages((message) => {
  const { content } = message
  if (!Array.isArray(content)) return message
  const parts = listOf(content).map(objectOf)
  if (!parts.every(({ type }) => type === 'text')) return message
  return { ...message, content: parts.map(({ text }) => textOf(text)).join('\n') }
})

/** For upstreams that want a string where OpenAI has null beside tool calls. */
export const emptyForNullContent: Variant = overMessages((message) =>
  message['content'] == null ? { ...message, content: '' } : message,
)

/** For upstreams without names of speakers. */
export const withoutNames: Variant = overMessages((message) => {
  if (message['role'] === 'tool' || !('name' in message)) return message
  const { name: _, ...rest } = message
  return rest
})

/** Mistral's word for a tool choice that demands a call. */
export const requiredAsAny: Variant = overBody(['chat'], (body) =>
  body['tool_choice'] === 'required' ? { ...body, tool_choice: 'any' } : body,
)

/**
 * Another way to ask for reasoning than `reasoning_effort`, such as Qwen's `enable_thinking`. `write` gives the fields
 * for an effort.
 */
export function effortAs(write: (effort: string) => Readonly<Record<string, unknown>>): Variant {
  return overBody(['chat'], (body) => {
    const { reasoning_effort: effort, ...rest } = body
    return typeof effort === 'string' ? { ...write(effort), ...rest } : body
  })
}

/** Mistral's tool call ids are nine letters or digits; others become such by their hash, the same one every time. */
export const mistralToolIds: Variant = overMessages((message) => {
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

function overBody(operations: readonly OperationName[], change: (body: Fields) => Fields): Variant {
  return (request, operation) => {
    const { body } = request
    if (!operations.includes(operation) || body?.kind !== 'json' || !isObject(body.value))
      return request
    const value = change(body.value)
    return value === body.value ? request : { ...request, body: { kind: 'json', value } }
  }
}

function overMessages(change: (message: Fields) => Fields): Variant {
  return overBody(['chat'], (body) => {
    const messages = listOf(body['messages'])
    const changed = messages.map((message) => (isObject(message) ? change(message) : message))
    return changed.every((message, index) => message === messages[index])
      ? body
      : { ...body, messages: changed }
  })
}
