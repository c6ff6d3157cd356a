import { Client, type ClientConfig } from 'pg'

/** A separate connection for background work. Disposing closes it. */
export async function connect(
  config: ClientConfig,
): Promise<{ readonly client: Client } & AsyncDisposable> {
  const client = new Client(config)
  // A lost connection makes the running statement fail, so the event itself is ignored.
  client.on('error', () => {})
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}
