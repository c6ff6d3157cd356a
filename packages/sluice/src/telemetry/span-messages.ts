// Prompts and responses as OpenTelemetry's span attributes gen_ai.input.messages, gen_ai.output.messages and
// gen_ai.system_instructions (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/, "Recording content on
// attributes"). Built from masked content, in the thread that masks.
import { isObject } from '@sluice/contract'
import type { SpanContent } from './content-thread.ts'

type Fields = Readonly<Record<string, unknown>>

interface Part {
  readonly type: 'text' | 'reasoning' | 'tool_call' | 'tool_call_response' | (string & {})
  readonly [field: string]: unknown
}

interface Message {
  readonly role: string
  readonly parts: readonly Part[]
  readonly finish_reason?: string
}

export interface MaskedTexts {
  /** The client format. */
  readonly format: string
  readonly request: string
  readonly answer: string
  readonly isStream: boolean
  /** The end reason given by a stream. */
  readonly finishReason: string | undefined
}

/** The attributes of a call's span, each as JSON text; undefined if its format has no messages. */
export function spanContent(texts: MaskedTexts): Omit<SpanContent, 'callId'> | undefined {
  const asked = read(texts.request)
  const input = inputs[texts.format]?.(asked)
  if (!input) return undefined
  const { messages, system } = input
  return {
    input: JSON.stringify(messages.length > 0 ? messages : whole('user', texts.request)),
    output: JSON.stringify(outputOf(texts)),
    ...(system.length > 0 && { system: JSON.stringify(system) }),
  }
}

interface Input {
  readonly messages: readonly Message[]
  readonly system: readonly Part[]
}

const inputs: Readonly<Record<string, (asked: Fields) => Input>> = {
  chat: (asked) => ({ messages: messagesIn(asked['messages']), system: [] }),
  complete: ({ prompt }) => ({
    messages: prompt === undefined ? [] : [{ role: 'user', parts: partsIn(prompt) }],
    system: [],
  }),
  messages: (asked) => ({
    messages: messagesIn(asked['messages']),
    system: partsIn(asked['system']),
  }),
  responses: ({ input, instructions }) => ({
    messages:
      typeof input === 'string' ? [{ role: 'user', parts: [text(input)] }] : messagesIn(input),
    system: partsIn(instructions),
  }),
  generateContent: geminiInput,
  streamGenerateContent: geminiInput,
}

function geminiInput({ contents, systemInstruction }: Fields): Input {
  const system = isObject(systemInstruction) ? systemInstruction['parts'] : systemInstruction
  return { messages: messagesIn(contents), system: partsIn(system) }
}

function outputOf({ answer, isStream, finishReason }: MaskedTexts): readonly Message[] {
  const said = read(answer)
  const found = isStream && !isWhole(said) ? gathered(said) : answers(said)
  const messages = found.length > 0 ? found : whole('assistant', answer)
  return messages.map((message) => ({ finish_reason: finishReason ?? 'unknown', ...message }))
}

/** The whole response if the stream carried it: the last event of OpenAI's Responses does. */
function isWhole(said: Fields): boolean {
  return Array.isArray(said['output'])
}

function answers(said: Fields): readonly Message[] {
  const { choices, candidates, output, content } = said
  if (Array.isArray(choices)) return choices.filter(isObject).map(choiceOf)
  if (Array.isArray(candidates))
    return candidates.filter(isObject).map((candidate) => ({
      ...messageOf(isObject(candidate['content']) ? candidate['content'] : {}),
      ...reason(candidate['finishReason']),
    }))
  if (Array.isArray(output))
    return [
      {
        role: 'assistant',
        parts: messagesIn(output).flatMap(({ parts }) => parts),
        ...reason(said['status']),
      },
    ]
  if (content === undefined) return []
  return [{ ...messageOf(said), ...reason(said['stop_reason']) }]
}

function choiceOf(choice: Fields): Message {
  const { message, text: written, finish_reason: finish } = choice
  const own = isObject(message)
    ? messageOf(message)
    : { role: 'assistant', parts: partsIn(written) }
  return { ...own, ...reason(finish) }
}

/** The texts of a stream by position, as one message per choice. */
function gathered(texts: Fields): readonly Message[] {
  const choices = new Map<number, Part[]>()
  for (const [path, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || value === '') continue
    const [, index = '0'] = /^(?:choices|candidates)\[(\d+)/.exec(path) ?? []
    const parts = choices.get(Number(index)) ?? []
    choices.set(Number(index), parts)
    if (/think|reason/.test(path)) parts.push({ type: 'reasoning', content: value })
    else if (/arguments|partial_json|input$/.test(path))
      parts.push({ type: 'tool_call', arguments: read(value) })
    else if (!/\bname$/.test(path)) parts.push(text(value))
  }
  return [...choices.values()].map((parts) => ({ role: 'assistant', parts }))
}

function messagesIn(list: unknown): readonly Message[] {
  return Array.isArray(list) ? list.filter(isObject).map(messageOf) : []
}

/** Converts a message of any format. Items of Responses that are not messages become one with a single part. */
function messageOf(item: Fields): Message {
  const { role, type, content, parts, tool_calls: calls, tool_call_id: answered } = item
  const said = [
    ...partsIn(item['reasoning_content'] ?? item['reasoning']).map((part) => ({
      ...part,
      type: 'reasoning',
    })),
    ...(answered === undefined
      ? partsIn(content ?? parts)
      : [{ type: 'tool_call_response', id: answered, response: content }]),
    ...(Array.isArray(calls) ? calls.filter(isObject).map(callOf) : []),
  ]
  const isItem = typeof type === 'string' && role === undefined && type !== 'message'
  return {
    role:
      role === 'model' || (role === undefined && type !== undefined)
        ? 'assistant'
        : typeof role === 'string'
          ? role
          : 'user',
    parts: isItem ? [partOf(item)] : said,
  }
}

function callOf({ id, function: called, ...rest }: Fields): Part {
  const { name, arguments: said } = isObject(called) ? called : rest
  return { type: 'tool_call', id, name, arguments: typeof said === 'string' ? read(said) : said }
}

function partsIn(content: unknown): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [text(content)]
  if (!Array.isArray(content)) return isObject(content) ? [partOf(content)] : []
  return content.map((part) => (isObject(part) ? partOf(part) : text(String(part))))
}

/** Parts that are neither text nor calls are reduced to their type: images and audio are not stored. */
function partOf(part: Fields): Part {
  const { type, text: written, thinking, functionCall, functionResponse } = part
  if (isObject(functionCall))
    return { type: 'tool_call', name: functionCall['name'], arguments: functionCall['args'] }
  if (isObject(functionResponse)) {
    const { name, response } = functionResponse
    return { type: 'tool_call_response', name, response }
  }
  if (typeof thinking === 'string') return { type: 'reasoning', content: thinking }
  if (typeof written === 'string')
    return part['thought'] === true ? { type: 'reasoning', content: written } : text(written)
  switch (type) {
    case 'tool_use':
      return { type: 'tool_call', id: part['id'], name: part['name'], arguments: part['input'] }
    case 'tool_result':
      return { type: 'tool_call_response', id: part['tool_use_id'], response: part['content'] }
    case 'function_call':
      return callOf({ ...part, id: part['call_id'] })
    case 'function_call_output':
      return { type: 'tool_call_response', id: part['call_id'], response: part['output'] }
    case 'refusal':
      return text(String(part['refusal']))
    default:
      return { type: typeof type === 'string' ? type : 'unknown' }
  }
}

function text(content: string): Part {
  return { type: 'text', content }
}

function reason(said: unknown): { readonly finish_reason?: string } {
  return typeof said === 'string' ? { finish_reason: said } : {}
}

/** Cut content is no longer JSON and is passed as one text. */
function whole(role: string, content: string): readonly Message[] {
  return content === '' ? [] : [{ role, parts: [text(content)] }]
}

function read(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
