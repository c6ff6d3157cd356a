import { type ErrorCode, GatewayError, objectOf, someText } from '@sluice/contract'

/** The SDK's own errors by name (AI SDK, error reference). */
const codes: Readonly<Record<string, ErrorCode>> = {
  AI_LoadAPIKeyError: 'upstream_refused_us',
  AI_LoadSettingError: 'upstream_refused_us',
  AI_NoSuchModelError: 'model_not_found',
  AI_UnsupportedFunctionalityError: 'unsupported_parameter',
  AI_InvalidPromptError: 'invalid_request',
  AI_InvalidArgumentError: 'invalid_request',
  AI_InvalidResponseDataError: 'upstream_garbled',
  AI_JSONParseError: 'upstream_garbled',
  AI_TypeValidationError: 'upstream_garbled',
  AI_EmptyResponseBodyError: 'upstream_garbled',
}

/** Converts what a model threw to the gateway's error. The provider's status and message are kept if they are its own. */
export function aiSdkError(thrown: unknown): unknown {
  if (thrown instanceof GatewayError) return thrown
  if (!(thrown instanceof Error)) return streamError(thrown)
  if (thrown.name === 'AbortError') return thrown
  if (thrown.name === 'AI_APICallError') return callError(thrown)
  const code = codes[thrown.name]
  if (code !== undefined) return new GatewayError(code, thrown.message, { cause: thrown })
  // A failed fetch is a TypeError. Anything else is a fault of the package and says nothing to the caller.
  return new GatewayError('upstream_unavailable', 'The provider package failed', { cause: thrown })
}

function callError(thrown: Error): GatewayError {
  const { statusCode: status } = objectOf(thrown)
  if (typeof status !== 'number')
    return new GatewayError('upstream_unavailable', 'The provider could not be reached', {
      cause: thrown,
    })
  const code = codeOf(status)
  const message = code === 'upstream_refused_us' ? 'The provider refused its key' : thrown.message
  return new GatewayError(code, message, {
    upstreamStatus: status,
    cause: thrown,
    ...(code === 'upstream_rejected' ? { status } : {}),
  })
}

function codeOf(status: number): ErrorCode {
  if (status === 401 || status === 402 || status === 403) return 'upstream_refused_us'
  if (status === 408 || status === 504) return 'upstream_timeout'
  if (status === 429) return 'upstream_rate_limited'
  // A success status here means that the body could not be read.
  if (status < 300) return 'upstream_garbled'
  return status < 500 ? 'upstream_rejected' : 'upstream_unavailable'
}

/** Streams carry errors in whatever form the provider sent. */
function streamError(value: unknown): GatewayError {
  const fields = objectOf(value)
  const inner = objectOf(fields['error'])
  const message = someText(value) ?? someText(inner['message']) ?? someText(fields['message'])
  return new GatewayError(
    'upstream_unavailable',
    message ?? 'The provider ended the stream with an error',
  )
}
