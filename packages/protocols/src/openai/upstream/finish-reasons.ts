import { type FinishReason, GatewayError, someText } from '@sluice/contract'

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
  max_tokens: 'length',
  model_length: 'length',
  max_output_tokens: 'length',
  tool_use: 'tool_calls',
  tool_call: 'tool_calls',
  safety: 'content_filter',
  recitation: 'content_filter',
  refusal: 'content_filter',
}

/** Words that compatible upstreams use for a failed response (Mistral, OpenRouter; DeepSeek). */
const failures: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource'])

/** The error that a finish reason stands for; undefined if it stands for none. */
export function failureOf(reason: unknown): GatewayError | undefined {
  const word = someText(reason)
  if (word === undefined || !failures.has(word)) return undefined
  return new GatewayError('upstream_unavailable', 'The upstream aborted its response', {
    upstreamCode: word,
  })
}

/**
 * A finish reason in OpenAI's terms; undefined if there is none yet (null, absent or ''). An unknown word is a regular end.
 * Calls take precedence over `stop`, because some upstreams send `stop` after tool calls.
 */
export function finishReasonOf(reason: unknown, hasToolCalls: boolean): FinishReason | undefined {
  const word = someText(reason)
  if (word === undefined) return undefined
  const known = reasons[word.toLowerCase()] ?? 'stop'
  return known === 'stop' && hasToolCalls ? 'tool_calls' : known
}
