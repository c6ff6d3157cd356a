import { Agent } from 'undici'

/** For the connection and for the response, in milliseconds. */
const timeoutMs = 10_000

export interface WebhookPoster extends AsyncDisposable {
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
export function openWebhookPoster(): WebhookPoster {
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs },
    keepAliveTimeout: 1_000,
    allowH2: false,
  })
  return {
    async post(url, { headers, body, signal }) {
      const { origin, pathname, search } = new URL(url)
      const answer = await dispatcher.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        headersTimeout: timeoutMs,
      })
      answer.body.on('error', () => {}).destroy()
      return answer.statusCode
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}
