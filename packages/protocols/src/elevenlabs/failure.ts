import { objectOf, someText } from '@sluice/contract'
import { readFailure } from '../failure.ts'
import type { Received, UpstreamFailure } from '../protocol.ts'

/** Reads `{detail: {status, message}}`, `{detail: "…"}` or FastAPI's list. */
export function failure(received: Received): UpstreamFailure {
  const read = readFailure(received)
  try {
    const { status, message } = objectOf(objectOf(received.json())['detail'])
    const code = someText(status)
    return {
      message: someText(message) ?? read.message,
      ...(code === undefined ? {} : { code }),
    }
  } catch {
    return read
  }
}
