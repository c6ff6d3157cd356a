import { useQueries, type UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask, type Reply } from './client.ts'

type Named = Reply<'listNames'>['data'][number]

/** So many are asked for at once; the gateway takes no more. */
const idsMax = 100
/** A name seldom changes, in milliseconds. */
const freshMs = 300_000

interface Waiting {
  readonly id: string
  readonly tell: PromiseWithResolvers<Named | null>
}

let waiting: Waiting[] = []

/** Null where there is none, or none that may be seen. What is asked for at the same time is asked in one request. */
function named(id: string): Promise<Named | null> {
  const tell = Promise.withResolvers<Named | null>()
  if (waiting.length === 0) setTimeout(askAll)
  waiting.push({ id, tell })
  return tell.promise
}

function askAll(): void {
  const all = waiting
  waiting = []
  for (let at = 0; at < all.length; at += idsMax) void askSome(all.slice(at, at + idsMax))
}

async function askSome(some: readonly Waiting[]): Promise<void> {
  try {
    const { data } = await ask('listNames', { query: { ids: some.map(({ id }) => id).join() } })
    const found = new Map(data.map((one) => [one.id, one]))
    for (const { id, tell } of some) tell.resolve(found.get(id) ?? null)
  } catch (thrown) {
    for (const { tell } of some) tell.reject(thrown)
  }
}

/** The keys and accounts that are known of these ids; of others nothing is asked. */
export function useNamed(ids: readonly (string | null | undefined)[]): ReadonlyMap<string, Named> {
  const wanted = useMemo(
    () => [...new Set(ids)].filter((id): id is string => typeof id === 'string' && id !== ''),
    [ids],
  )
  return useQueries({
    queries: wanted.map((id) => ({
      queryKey: ['listNames', id],
      queryFn: () => named(id),
      staleTime: freshMs,
    })),
    combine: byId,
  })
}

function byId(results: readonly UseQueryResult<Named | null>[]): ReadonlyMap<string, Named> {
  return new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])))
}
