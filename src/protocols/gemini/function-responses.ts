import type { Message } from '../../operations/chat-message.ts'
import { formatJson, parseJson } from '../../wire/json.ts'
import { isObject } from '../openai/reading.ts'
import type { Part } from './generate-content.ts'

export function isToolResult({ role }: Message): boolean {
  return role === 'tool' || role === 'function'
}

/** Calls by id: what function was called, and how many calls came before it. */
export type CallNames = ReadonlyMap<string, { readonly name: string; readonly order: number }>

export function namesOfCalls(messages: readonly Message[]): CallNames {
  const calls = messages.flatMap(({ tool_calls: made }) => made ?? [])
  return new Map(
    calls.map((call, order) => {
      const name = call.function?.name ?? call.custom?.name ?? ''
      return [call.id, { name, order }] as const
    }),
  )
}

/** A run of tool messages as parts, in the order of their calls, for models that match them by place. */
export function functionResponses(run: readonly Message[], names: CallNames): readonly Part[] {
  const orderOf = ({ tool_call_id: id }: Message): number => names.get(id ?? '')?.order ?? 0
  return run
    .filter(isToolResult)
    .toSorted((left, right) => orderOf(left) - orderOf(right))
    .map((message) => {
      const id = message.tool_call_id
      const name = names.get(id ?? '')?.name ?? message.name ?? ''
      const response = responseOf(textOf(message))
      return { functionResponse: { ...(id == null ? {} : { id }), name, response } }
    })
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text }) => text ?? '').join('')
}

/** JSON objects stay objects; everything else is a text under `output` (Gemini API, FunctionResponse). */
function responseOf(text: string): unknown {
  try {
    const value = parseJson(text)
    if (isObject(value)) return value
  } catch {
    // Most results are plain text.
  }
  return { output: text }
}

/** The other way: a response as a tool message's text. */
export function textOfResponse(response: unknown): string {
  if (!isObject(response)) return response === undefined ? '' : formatJson(response)
  const { output, ...rest } = response
  return typeof output === 'string' && Object.keys(rest).length === 0
    ? output
    : formatJson(response)
}
