import { type ErrorCode, type Fields, GatewayError, objectOf, someText } from '@sluice/contract'
import type { Received, UpstreamFailure } from '../protocol.ts'
import { failureBody } from '../read-json.ts'

/** Reads `{message}`, with the error's name in `x-amzn-errortype` or `__type`, both with a namespace. */
export function failure(received: Received): UpstreamFailure {
  const body = objectOf(failureBody(received))
  const code = errorName(received.headers['x-amzn-errortype'] ?? body['__type'])
  const message = someText(body['message']) ?? someText(body['Message'])
  return {
    message: message ?? `Bedrock answered with status ${received.status}`,
    ...(code === undefined ? {} : { code }),
  }
}

/** `ValidationException` from `ValidationException:http://…` or `com.amazon.coral#ValidationException`. */
function errorName(text: unknown): string | undefined {
  return someText(someText(text)?.split(':')[0]?.split('#').at(-1))
}

const codes: Readonly<Record<string, ErrorCode>> = {
  throttlingexception: 'upstream_rate_limited',
  servicequotaexceededexception: 'upstream_rate_limited',
  validationexception: 'upstream_rejected',
  accessdeniedexception: 'upstream_refused_us',
  unrecognizedclientexception: 'upstream_refused_us',
  expiredtokenexception: 'upstream_refused_us',
  modeltimeoutexception: 'upstream_timeout',
}

/** An exception frame in a stream: `{type, message}`. */
export function streamFailure(data: string): GatewayError {
  let body: Fields = {}
  try {
    body = objectOf(JSON.parse(data))
  } catch {
    // It is an error frame, whatever its content.
  }
  const type = someText(body['type'])
  return new GatewayError(
    codes[type?.toLowerCase() ?? ''] ?? 'upstream_unavailable',
    someText(body['message']) ?? 'Bedrock ended the stream with an error',
    type === undefined ? {} : { upstreamCode: type },
  )
}
