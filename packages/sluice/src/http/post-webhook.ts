import { Agent } from 'undici'

/** For a connection, and for the answer. */
const timeoutMs = 10_000

export interface WebhookPoster extends AsyncDisposable {
  /** The status of the answer; its body is not read, and no redirect is followed. Rejects where there is none in time. */
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
 * Sends messages to webhooks. Their addresses are the operator's own, and may be private ones; since nothing of an answer is read
 * but its status, and nothing is sent elsewhere than was said, they tell nobody anything.
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
