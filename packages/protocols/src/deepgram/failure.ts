import { objectOf, someText } from '@sluice/contract'
import type { Received, UpstreamFailure } from '../protocol.ts'

/** Reads `{err_code, err_msg, request_id}` or `{category, message, details}`. */
export function failure(received: Received): UpstreamFailure {
  try {
    const body = objectOf(received.json())
    const message = someText(body['err_msg']) ?? someText(body['message'])
    const code = someText(body['err_code']) ?? someText(body['category'])
    if (message !== undefined) return { message, ...(code === undefined ? {} : { code }) }
  } catch {
    // Proxies in front of Deepgram respond with HTML.
  }
  return { message: `Deepgram answered with status ${received.status}` }
}
