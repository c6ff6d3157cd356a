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

/** Words by which compatible upstreams say that an answer failed (Mistral, OpenRouter; DeepSeek). */
const failures: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource'])

/** The error that a finish reason stands for, if it does. */
export function failureOf(reason: unknown): GatewayError | undefined {
  const word = someText(reason)
  if (word === undefined || !failures.has(word)) return undefined
  return new GatewayError(
    'upstream_unavailable',
    'The upstream gave up in the middle of its answer',
    {
      upstreamCode: word,
    },
  )
}

/**
 * A finish reason as OpenAI words it; undefined while there is none (null, absent or ''). An unknown word is a regular
 * end. Calls win over `stop`, because some upstreams say `stop` after tool calls.
 */
export function finishReasonOf(reason: unknown, hasToolCalls: boolean): FinishReason | undefined {
  const word = someText(reason)
  if (word === undefined) return undefined
  const known = reasons[word.toLowerCase()] ?? 'stop'
  return known === 'stop' && hasToolCalls ? 'tool_calls' : known
}
