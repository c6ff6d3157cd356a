import { useQueries, type UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask, type Reply } from './client.ts'

type Named = Reply<'listNames'>['data'][number]

/** Maximum number of ids in one request; the gateway accepts no more. */
const idsMax = 100
/** How long a name counts as fresh, in milliseconds; names seldom change. */
const freshMs = 300_000

interface Waiting {
  readonly id: string
  readonly tell: PromiseWithResolvers<Named | null>
}

let waiting: Waiting[] = []

/** Null if there is no such key or account, or the caller may not see it. Ids asked for at the same time share one request. */
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

/**
 * The known keys and accounts among these ids. Null, undefined and empty ids are not requested. The map stays the same while the
 * ids and the names do.
 */
export function useNamed(ids: readonly (string | null | undefined)[]): ReadonlyMap<string, Named> {
  // No id holds a comma, and what is null or undefined is written as nothing.
  const written = [...new Set(ids)].join()
  const queries = useMemo(() => {
    const wanted = written.split(',').filter((id) => id !== '')
    return wanted.map((id) => ({
      queryKey: ['listNames', id],
      queryFn: () => named(id),
      staleTime: freshMs,
    }))
  }, [written])
  return useQueries({ queries, combine: byId })
}

function byId(results: readonly UseQueryResult<Named | null>[]): ReadonlyMap<string, Named> {
  return new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])))
}
