import { type Started, until } from '../start.ts'

/** `provider operation outcome` of every record, with the input tokens if the upstream reported them; sorted. */
export async function records({ gateway }: Started): Promise<readonly string[]> {
  await gateway.store.flush()
  return (await gateway.store.listUsage({ limit: 99 }))
    .map(
      ({ provider, operation, outcome, reported, inputTokens }) =>
        `${provider} ${operation} ${outcome}${reported ? ` ${inputTokens}` : ''}`,
    )
    .toSorted()
}

/** The records once there are this many of them. */
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
