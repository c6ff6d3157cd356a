import { createClient } from '@redis/client'
import { within } from './redis-link.ts'

/** Asks a Redis server whether it answers. Rejects if it does not within `timeoutMs`. */
export async function pingRedis(url: string, timeoutMs: number): Promise<void> {
  const client = createClient({ url, socket: { reconnectStrategy: false } })
  // A failed connection rejects `connect`, so the event itself is ignored.
  client.on('error', () => {})
  try {
    await within(
      timeoutMs,
      client.connect().then(() => client.ping()),
    )
  } finally {
    client.destroy()
  }
}
