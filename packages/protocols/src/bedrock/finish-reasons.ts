import { type FinishReason, objectOf, someText } from '@sluice/contract'

/** StopReason of Converse (Amazon Bedrock API reference, ConverseResponse). */
const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  refusal: 'content_filter',
}

/** Whether there are calls decides between `stop` and `tool_calls`: a forced JSON tool is a response, not a call. */
export function finishReason(stopReason: unknown, hasCalls: boolean): FinishReason {
  const known = (typeof stopReason === 'string' ? reasons[stopReason] : undefined) ?? 'stop'
  if (known === 'stop' || known === 'tool_calls') return hasCalls ? 'tool_calls' : 'stop'
  return known
}

/** `{"delta": {"stop_sequence": …}}`: the value of the response field path in the request. */
export function stopSequenceOf(fields: unknown): string | undefined {
  return someText(objectOf(objectOf(fields)['delta'])['stop_sequence'])
}
