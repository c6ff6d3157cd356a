import { type Network, originOf } from '@sluice/gateway/dial/network.ts'

/** For the connection and for the response, in milliseconds. */
const timeoutMs = 10_000

export interface WebhookPoster {
  /**
   * Returns the status of the response. Its body is not read and redirects are not followed. Rejects if no response arrives in
   * time.
   */
  readonly post: (
    url: string,
    message: {
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      readonly signal: AbortSignal
    },
  ) => Promise<number>
}

/**
 * Sends messages to webhooks. Operators configure their URLs, which may be private. This reveals nothing to others: only the
 * status is read, and requests go nowhere else.
 */
export function createWebhookPoster(network: Network): WebhookPoster {
  return {
    async post(address, { headers, body, signal }) {
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
    },
  }
}
