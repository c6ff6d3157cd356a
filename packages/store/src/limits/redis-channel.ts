import { createClient } from '@redis/client'
import type { RedisLinkOptions } from './redis-link.ts'

/** What several processes tell each other through Redis. What is told while Redis does not answer is lost. */
export interface RedisChannel extends AsyncDisposable {
  /** Sends JSON to the other processes. */
  tell(body: unknown): void
}

/** Opens a channel. `received` is called with what the other processes tell. Does not wait for Redis. */
export function openRedisChannel(
  { url, prefix = '{sluice}:' }: Pick<RedisLinkOptions, 'url' | 'prefix'>,
  name: string,
  received: (body: unknown) => void,
): RedisChannel {
  const channel = `${prefix}${name}`
  const own = crypto.randomUUID()
  const options = {
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: (tries: number) => Math.min(50 * 2 ** tries, 1_000) },
  }
  // A connection that listens takes no other commands.
  const [speaking, listening] = [createClient(options), createClient(options)]
  for (const client of [speaking, listening]) {
    // Emitted for each failed connection; the limiter reports them.
    client.on('error', () => undefined)
    client.connect().catch(() => undefined)
  }
  // Waits for the connection, and is repeated after each reconnection.
  const subscribe = () =>
    listening.subscribe(channel, (text) => {
      const { from, body } = JSON.parse(text) as { readonly from: string; readonly body: unknown }
      if (from !== own) received(body)
    })
  listening.once('ready', () => void subscribe().catch(() => undefined))
  return {
    tell(body) {
      speaking.publish(channel, JSON.stringify({ from: own, body })).catch(() => undefined)
    },
    async [Symbol.asyncDispose]() {
      for (const client of [speaking, listening]) if (client.isOpen) client.destroy()
    },
  }
}
