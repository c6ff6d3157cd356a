import { objectOf, someText } from '@sluice/contract'
import type { Received, UpstreamFailure } from '../protocol.ts'

/** Reads the error body: `{message}`, and in v2 `{id, message}`. */
export function failure(received: Received): UpstreamFailure {
  try {
    const { message } = objectOf(received.json())
    const text = someText(message)
    if (text !== undefined) return { message: text }
  } catch {
    // Proxies in front of Cohere respond with HTML.
  }
  return { message: `Cohere answered with status ${received.status}` }
}
