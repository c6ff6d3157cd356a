import type { Fields, GatewayError } from '@sluice/contract'

/** google.rpc.Code by HTTP status (https://google.aip.dev/193; Gemini API, troubleshooting). */
const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  416: 'OUT_OF_RANGE',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** Google's error body. The details give the reason, the field at fault, when to try again, and the request's id. */
export function geminiError(error: GatewayError, requestId: string): unknown {
  const { status, publicCode, details } = error
  const message = knownWords(error)
  const { param, retryAfterMs } = details
  return {
    error: {
      code: status,
      message,
      status: statuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'),
      details: [
        ...(publicCode === null
          ? []
          : [detail('ErrorInfo', { reason: publicCode.toUpperCase(), domain: 'sluice' })]),
        ...(param === undefined
          ? []
          : [detail('BadRequest', { fieldViolations: [{ field: param, description: message }] })]),
        ...(retryAfterMs === undefined
          ? []
          : [detail('RetryInfo', { retryDelay: `${retryAfterMs / 1000}s` })]),
        ...(requestId === '' ? [] : [detail('RequestInfo', { requestId })]),
      ],
    },
  }
}

function detail(type: string, fields: Fields): unknown {
  return { '@type': `type.googleapis.com/google.rpc.${type}`, ...fields }
}

/** Google's words for a prompt that is too long, which clients look for and other upstreams do not use. */
function knownWords({ code, message, publicCode }: GatewayError): string {
  const isOthers = code === 'upstream_rejected' && publicCode === 'context_length_exceeded'
  const isKnown = /exceeds the maximum number of tokens/i.test(message)
  return isOthers && !isKnown
    ? `The input token count exceeds the maximum number of tokens allowed: ${message}`
    : message
}
