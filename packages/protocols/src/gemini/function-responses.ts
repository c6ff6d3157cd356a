import {
  formatJson,
  isObject,
  isTooDeep,
  type Message,
  parseJson,
  type ToolCall,
} from '@sluice/contract'
import type { Part } from './generate-content.ts'

export function isToolResult({ role }: Message): boolean {
  return role === 'tool'
}

/**
 * The results of one step as parts, in the order of its calls, for models that match them by place. Their functions'
 * names are those of the calls; ids may come again in every step, so only the step's own calls count.
 */
export function functionResponses(
  results: readonly Message[],
  calls: readonly ToolCall[],
): readonly Part[] {
  // The first of an id counts.
  const places = new Map<Message['tool_call_id'], number>(
    calls.map(({ id }, place) => [id, place] as const).toReversed(),
  )
  const orderOf = ({ tool_call_id: id }: Message): number => places.get(id) ?? -1
  return results
    .toSorted((left, right) => orderOf(left) - orderOf(right))
    .map((message) => {
      const id = message.tool_call_id
      const call = calls[orderOf(message)]
      const name = call?.function?.name ?? call?.custom?.name ?? message.name ?? ''
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
    if (isObject(value) && !isTooDeep(value)) return value
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
