import { type Started, until } from './start.ts'

/** `provider outcome tokens` of every record, in the order of the words. */
export async function records({ gateway }: Started): Promise<readonly string[]> {
  await gateway.store.flush()
  return (await gateway.store.listUsage({ limit: 99 }))
    .map(
      ({ provider, operation, outcome, reported, inputTokens }) =>
        `${provider} ${operation} ${outcome}${reported ? ` ${inputTokens}` : ''}`,
    )
    .toSorted()
}

/** The records once there are so many of them. */
export const settled = async (gateway: Started, count: number) => {
  let seen: readonly string[] = []
  await until(() => {
    void records(gateway).then((list) => {
      seen = list
    })
    return seen.length >= count
  })
  return records(gateway)
}
