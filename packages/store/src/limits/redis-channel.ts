import { createClient } from '@redis/client'
import { type RedisLinkOptions, within } from './redis-link.ts'

/** How long a start waits for Redis, in milliseconds. */
const connectMs = 2_000

/** What several processes tell each other through Redis. What is told while Redis does not answer is lost. */
export interface RedisChannel extends AsyncDisposable {
  /** Sends JSON to the other processes. */
  tell(body: unknown): void
}

/**
 * Opens a channel. `received` is called with what the other processes tell. Waits two seconds for Redis at most; a later connection
 * is used as well.
 */
export async function openRedisChannel(
  { url, prefix = '{sluice}:' }: Pick<RedisLinkOptions, 'url' | 'prefix'>,
  name: string,
  received: (body: unknown) => void,
): Promise<RedisChannel> {
  const channel = `${prefix}${name}`
  const own = crypto.randomUUID()
  const options = {
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: (tries: number) => Math.min(50 * 2 ** tries, 1_000) },
  }
  // A connection that listens takes no other commands.
  const [speaking, listening] = [createClient(options), createClient(options)]
  // Emitted for each failed connection; the limiter reports them.
  for (const client of [speaking, listening]) client.on('error', () => undefined)
  // Repeated after each reconnection.
  const subscribed = listening.connect().then(() =>
    listening.subscribe(channel, (text) => {
      const { from, body } = JSON.parse(text) as { readonly from: string; readonly body: unknown }
      if (from !== own) received(body)
    }),
  )
  const opened = Promise.all([speaking.connect(), subscribed])
  opened.catch(() => undefined)
  await within(connectMs, opened).catch(() => undefined)
  return {
    tell(body) {
      speaking.publish(channel, JSON.stringify({ from: own, body })).catch(() => undefined)
    },
    async [Symbol.asyncDispose]() {
      for (const client of [speaking, listening]) if (client.isOpen) client.destroy()
    },
  }
}
