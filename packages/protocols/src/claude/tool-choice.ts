import type { ChatRequest, Fields } from '@sluice/contract'
import type { CodecContext } from '../protocol.ts'

type ClaudeChoice = Fields & { readonly type: string }

/**
 * Encodes the tool choice. `mayForce` is false for models that cannot be forced to call a tool: Claude with a thinking budget,
 * and its newest models always.
 */
export function encodeToolChoice(
  request: ChatRequest,
  { context, mayForce }: { readonly context: CodecContext; readonly mayForce: boolean },
): ClaudeChoice | undefined {
  const single = request.parallel_tool_calls === false
  const choice = choiceBlock(request.tool_choice)
  if (choice !== undefined && choice.type !== 'auto' && choice.type !== 'none' && !mayForce) {
    context.unsupported('tool_choice', 'this model cannot be forced to call a tool here')
    return single ? { type: 'auto', disable_parallel_tool_use: true } : undefined
  }
  if (!single || choice?.type === 'none') return choice
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true }
}

function choiceBlock(choice: ChatRequest['tool_choice']): ClaudeChoice | undefined {
  if (choice == null) return undefined
  if (typeof choice === 'string') return { type: choice === 'required' ? 'any' : choice }
  if (choice.type === 'allowed_tools')
    return { type: choice.allowed_tools?.mode === 'required' ? 'any' : 'auto' }
  return { type: 'tool', name: (choice.function ?? choice.custom)?.name }
}
