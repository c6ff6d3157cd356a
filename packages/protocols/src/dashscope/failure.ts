import { type ErrorCode, type Fields, GatewayError, objectOf, someText } from '@sluice/contract'
import type { Received } from '../protocol.ts'

/** The body of a native response. Errors also come with status 200; for those it throws. */
export function bodyOf(received: Received): Fields {
  const body = objectOf(received.json())
  const code = someText(body['code'])
  if (code === undefined) return body
  throw new GatewayError(codeOf(code), someText(body['message']) ?? code, {
    upstreamCode: code,
    ...(someText(body['request_id']) === undefined
      ? {}
      : { upstreamRequestId: someText(body['request_id']) ?? '' }),
  })
}

/** Maps the code by its beginning (Model Studio, error codes). Unknown codes count as a failure of the upstream. */
function codeOf(code: string): ErrorCode {
  if (code.startsWith('Throttling')) return 'upstream_rate_limited'
  if (/^(InvalidApiKey|AccessDenied|Arrearage)/.test(code)) return 'upstream_refused_us'
  if (/^(Invalid|DataInspection|ModelNotFound|BadRequest|Unsupported)/.test(code))
    return 'upstream_rejected'
  return 'upstream_unavailable'
}
