import { isDeepStrictEqual } from 'node:util'
import {
  type Fields,
  formatJson,
  isObject,
  listOf,
  objectOf,
  type OperationName,
  textOf,
} from '@sluice/contract'
import { argumentsText, unreadArguments } from '../../call-arguments.ts'
import { effortOf } from '../../efforts.ts'
import { demandsReasoning } from '../../families/returned-reasoning.ts'
import type { Reports } from '../../native-target.ts'
import type { Quirk } from '../../protocol.ts'

/** For upstreams that reject `stream_options`; they put the usage into the last chunk or do not report it. */
export const noStreamOptions: Quirk = overBody(['chat', 'complete'], (body, { leftOut }) => {
  const { stream_options: options, ...rest } = body
  for (const [name, value] of Object.entries(objectOf(options)))
    if (name !== 'include_usage' && value != null) leftOut(`stream_options.${name}`)
  return options === undefined ? body : rest
})

/** Renames a field, for example to Mistral's `random_seed`. */
export function renameField(
  from: string,
  to: string,
  operations: readonly OperationName[] = ['chat'],
): Quirk {
  return overBody(operations, (body, { leftOut }) => {
    if (!(from in body)) return body
    const { [from]: value, ...rest } = body
    if (!(to in rest)) return { ...rest, [to]: value }
    if (value != null && value !== rest[to]) leftOut(from)
    return rest
  })
}

/** For upstreams that support only the older `max_tokens`. */
export const maxTokensOnly: Quirk = overBody(['chat'], (body) => {
  const { max_completion_tokens: most, ...rest } = body
  return most === undefined ? body : { ...rest, max_tokens: most }
})

/** For upstreams without the role `developer`. */
export const developerAsSystem: Quirk = overMessages((message) =>
  message['role'] === 'developer' ? { ...message, role: 'system' } : message,
)

/**
 * For servers that render a conversation with the template of an open model. Many templates accept only one system message, at
 * the beginning (Qwen 3.5 and later: vllm-project/vllm#41114, ollama/ollama#17774). Those at the beginning are merged, and a
 * later one becomes a user message.
 */
export const systemFirst: Quirk = overBody(['chat'], (body, reports) => {
  const messages = listOf(body['messages']).filter(isObject)
  const isSystem = ({ role }: Fields) => role === 'system' || role === 'developer'
  const begins = messages.findIndex((message) => !isSystem(message))
  const count = begins === -1 ? messages.length : begins
  const late = messages.slice(count)
  if (count < 2 && messages[0]?.['role'] !== 'developer' && !late.some(isSystem)) return body
  const first = messages.slice(0, count)
  return {
    ...body,
    messages: [
      ...(count === 0
        ? []
        : [{ ...joinedFields(first, reports), role: 'system', content: joinedContent(first) }]),
      ...late.map((message) => (isSystem(message) ? { ...message, role: 'user' } : message)),
    ],
  }
})

/** The other fields of messages, in one. Of two values of a field, the first is kept. */
function joinedFields(messages: readonly Fields[], { leftOut }: Pick<Reports, 'leftOut'>): Fields {
  const joined = new Map<string, unknown>()
  for (const [index, { role: _, content: __, ...fields }] of messages.entries())
    for (const [name, value] of Object.entries(fields))
      if (!joined.has(name)) joined.set(name, value)
      else if (!isDeepStrictEqual(joined.get(name), value)) leftOut(`messages[${index}].${name}`)
  return Object.fromEntries(joined)
}

function joinedContent(messages: readonly Fields[]): unknown {
  const contents = messages.map(({ content }) => content)
  if (contents.every((content) => typeof content === 'string')) return contents.join('\n\n')
  return contents.flatMap((content) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content),
  )
}

/**
 * For models that demand the reasoning of their earlier answers as soon as they have called tools: an empty one where a caller did not
 * keep it, or where another model answered.
 */
export const emptyReasoning: Quirk = overBody(['chat'], (body) => {
  const messages = listOf(body['messages'])
  const { model, thinking } = body
  if (!demandsReasoning(textOf(model)) || objectOf(thinking)['type'] === 'disabled') return body
  const lacks = (message: unknown): message is Fields =>
    isObject(message) &&
    message['role'] === 'assistant' &&
    typeof message['reasoning_content'] !== 'string'
  const hasCalls = messages.some((message) => listOf(objectOf(message)['tool_calls']).length > 0)
  if (!hasCalls || !messages.some(lacks)) return body
  return {
    ...body,
    messages: messages.map((message) =>
      lacks(message) ? { ...message, reasoning_content: '' } : message,
    ),
  }
})

/**
 * For upstreams that request reasoning in another way than by `reasoning_effort`, such as Qwen's `enable_thinking`. `write`
 * returns the fields for an effort, or for the effort that a budget stands for; the budget stays next to them.
 */
export function effortAs(write: (effort: string) => Readonly<Record<string, unknown>>): Quirk {
  return overBody(['chat'], (body) => {
    const { reasoning_effort: given, ...rest } = body
    const budget = rest['thinking_budget']
    const thinks = typeof budget === 'number' && budget > 0
    const effort = given ?? (thinks ? effortOf(budget) : undefined)
    return typeof effort === 'string' ? { ...write(effort), ...rest } : body
  })
}

/**
 * Puts a budget into OpenRouter's object, which accepts either a budget or an effort
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens).
 */
export const budgetInReasoning: Quirk = overBody(['chat'], (body, { leftOut }) => {
  const { thinking_budget: budget, reasoning_effort: _, ...rest } = body
  if (typeof budget !== 'number' || budget <= 0) return body
  if (rest['reasoning'] != null) leftOut('thinking_budget')
  return { reasoning: { max_tokens: budget }, ...rest }
})

/**
 * For upstreams that produce JSON but do not enforce a schema: the schema is written into the prompt
 * (https://api-docs.deepseek.com/guides/json_mode, which requires the word JSON in the prompt).
 */
export const toldSchema: Quirk = overBody(['chat'], (body, { leftOut }) => {
  const { type, json_schema: named, ...others } = objectOf(body['response_format'])
  if (type !== 'json_schema') return body
  const { schema, description, name: _, strict: __, ...unknown } = objectOf(named)
  for (const [field, value] of Object.entries(unknown))
    if (value != null) leftOut(`response_format.json_schema.${field}`)
  const told = { ...(description != null && { description }), ...objectOf(schema) }
  const instruction = `Answer with nothing but JSON that fits this JSON Schema: ${formatJson(told)}`
  return {
    ...body,
    messages: [{ role: 'system', content: instruction }, ...listOf(body['messages'])],
    response_format: { ...others, type: 'json_object' },
  }
})

/**
 * For servers that parse the arguments of calls in the history as JSON and reject the whole conversation if a model once wrote
 * invalid ones (vllm-project/vllm#43995).
 */
export const readableArguments: Quirk = overMessages((message) => {
  const calls = listOf(message['tool_calls'])
  const readable = calls.map(readableCall)
  return readable.every((call, index) => call === calls[index])
    ? message
    : { ...message, tool_calls: readable }
})

function readableCall(call: unknown): unknown {
  const called = isObject(call) ? call['function'] : undefined
  if (!isObject(call) || !isObject(called)) return call
  const { arguments: text } = called
  if (typeof text !== 'string' || isObjectText(text)) return call
  const none = argumentsText(text)
  const readable = isObjectText(none) ? none : formatJson(unreadArguments(text))
  return { ...call, function: { ...called, arguments: readable } }
}

/** Servers read an empty text as no arguments. */
function isObjectText(text: string): boolean {
  if (text.trim() === '') return true
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}

/** A change of the JSON that some operations send. */
export function overBody(
  operations: readonly OperationName[],
  change: (body: Fields, reports: Pick<Reports, 'leftOut'>) => Fields,
): Quirk {
  return (request, operation, reports) => {
    const { body } = request
    if (!operations.includes(operation) || body?.kind !== 'json' || !isObject(body.value))
      return request
    const value = change(body.value, reports)
    return value === body.value ? request : { ...request, body: { kind: 'json', value } }
  }
}

/** A change of each message of a chat. */
export function overMessages(change: (message: Fields) => Fields): Quirk {
  return overBody(['chat'], (body) => {
    const messages = listOf(body['messages'])
    const changed = messages.map((message) => (isObject(message) ? change(message) : message))
    return changed.every((message, index) => message === messages[index])
      ? body
      : { ...body, messages: changed }
  })
}
