import { type Network, originOf } from '@sluice/gateway/dial/network.ts'
import type { PostWebhook } from './alerts.ts'

/** For the connection and for the response, in milliseconds. */
const timeoutMs = 10_000

/**
 * Sends messages to webhooks. Operators configure their URLs, which may be private. This reveals nothing to others: only the
 * status is read, redirects are not followed, and requests go nowhere else.
 */
export function createWebhookPoster(network: Network): PostWebhook {
  return async (address, { headers, body, signal }) => {
    const url = new URL(address)
    const dispatchers = await network.open()
    const answer = await dispatchers.to(originOf(url), {}, timeoutMs).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headersTimeout: timeoutMs,
    })
    answer.body.on('error', () => {}).destroy()
    return answer.statusCode
  }
}
