import {
  formatJson,
  isObject,
  isTooDeep,
  type Message,
  parseJson,
  type ToolCall,
} from '@sluice/contract'
import type { Part } from './generate-content.ts'

/**
 * The results of one step as parts, in the order of its calls, because some models match them by position. A result takes the
 * function name of its call. Ids may repeat in every step, so only the calls of the step itself are considered.
 */
export function functionResponses(
  results: readonly Message[],
  calls: readonly ToolCall[],
): readonly Part[] {
  // If several calls have the same id, the first one counts.
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

/** JSON objects stay objects; everything else becomes a text under `output` (Gemini API, FunctionResponse). */
function responseOf(text: string): unknown {
  try {
    const value = parseJson(text)
    if (isObject(value) && !isTooDeep(value)) return value
  } catch {
    // Most results are plain text.
  }
  return { output: text }
}

/** The reverse translation: a response as the text of a tool message. */
export function textOfResponse(response: unknown): string {
  if (!isObject(response)) return response === undefined ? '' : formatJson(response)
  const { output, ...rest } = response
  return typeof output === 'string' && Object.keys(rest).length === 0
    ? output
    : formatJson(response)
}
