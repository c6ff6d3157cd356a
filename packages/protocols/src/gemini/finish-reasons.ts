import { type Fields, type FinishReason, GatewayError, objectOf, someText } from '@sluice/contract'

/** https://ai.google.dev/api/generate-content#FinishReason. Function calls end with STOP. */
const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  NO_IMAGE: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  IMAGE_OTHER: 'content_filter',
}

/** Reasons that mean the model broke its own response, which a caller cannot use. */
const failures: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'OTHER',
])

/** The error that a candidate's finish reason stands for; undefined if it stands for none. */
export function failureOf(candidate: Fields): GatewayError | undefined {
  const word = someText(candidate['finishReason'])
  if (word === undefined || !failures.has(word)) return undefined
  const message = someText(candidate['finishMessage'])
  return new GatewayError(
    'upstream_garbled',
    `The model gave up its answer (${word})${message === undefined ? '' : `: ${message}`}`,
    { upstreamCode: word },
  )
}

/** The reason why the prompt itself was blocked; the response then has no candidates. */
export function blockReasonOf(body: Fields): string | undefined {
  return someText(objectOf(body['promptFeedback'])['blockReason'])
}

/** Unknown reasons count as content filters: so far, all new reasons were new ways to withhold a response. */
export function finishReasonOf(word: string, hasToolCalls: boolean): FinishReason {
  const reason = reasons[word] ?? 'content_filter'
  return reason === 'stop' && hasToolCalls ? 'tool_calls' : reason
}

/** The reverse translation, for Gemini clients. */
export function geminiFinishReason(reason: FinishReason): string {
  switch (reason) {
    case 'length':
      return 'MAX_TOKENS'
    case 'content_filter':
      return 'SAFETY'
    case 'stop':
    case 'tool_calls':
      return 'STOP'
  }
}
