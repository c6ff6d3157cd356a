import type { FinishReason } from '@sluice/contract'

/** stop_reason (Messages API reference, Message). `pause_turn`: a server tool loop has paused; nothing more follows. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}

/** Whether there are calls decides between `stop` and `tool_calls`: a tool forced for JSON output is a response, not a call. */
export function finishReason(stopReason: unknown, hasCalls: boolean): FinishReason {
  const known = (typeof stopReason === 'string' ? finishReasons[stopReason] : undefined) ?? 'stop'
  if (known === 'length' || known === 'content_filter') return known
  return hasCalls ? 'tool_calls' : 'stop'
}

/** Some upstreams report `stop` although there are calls, so the calls decide here too. */
export function stopReason(
  finish: FinishReason,
  { hasCalls, stopSequence }: { readonly hasCalls: boolean; readonly stopSequence: string | null },
): string {
  if (finish === 'length') return 'max_tokens'
  if (finish === 'content_filter') return 'refusal'
  if (hasCalls) return 'tool_use'
  return stopSequence === null ? 'end_turn' : 'stop_sequence'
}
