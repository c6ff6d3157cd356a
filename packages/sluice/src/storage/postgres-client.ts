import { Client, type ClientConfig } from 'pg'

/** A connection of its own, for work in the background; disposing closes it. */
export async function connect(
  config: ClientConfig,
): Promise<{ readonly client: Client } & AsyncDisposable> {
  const client = new Client(config)
  // A connection that is lost makes the statement under way fail.
  client.on('error', () => {})
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}
