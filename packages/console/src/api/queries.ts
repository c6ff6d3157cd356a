import {
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { ask, type OperationInput, type OperationId, type Reply } from './client.ts'

/** The cache key of a response: the operation and its input. */
export function keyOf<Id extends OperationId>(id: Id, asked: OperationInput<Id> = {}): QueryKey {
  return [id, asked]
}

interface AnswerOptions {
  readonly isEnabled?: boolean
  /** Interval at which the request is repeated, in milliseconds; default: never. */
  readonly refetchMs?: number
}

/** The response of an operation that reads data. */
export function useAnswer<Id extends OperationId>(
  id: Id,
  asked: OperationInput<Id> = {},
  { isEnabled = true, refetchMs }: AnswerOptions = {},
) {
  return useQuery<Reply<Id>>({
    queryKey: keyOf(id, asked),
    queryFn: ({ signal }) => ask(id, { ...asked, signal }),
    enabled: isEnabled,
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
  })
}

type Listing = {
  [Id in OperationId]: Reply<Id> extends { readonly last_id: unknown } ? Id : never
}[OperationId]

const pageLength = 100

/** A list that is loaded page by page, newest first. */
export function useList<Id extends Listing>(id: Id, query: object = {}) {
  return useInfiniteQuery({
    queryKey: [id, 'pages', query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<Reply<Id>> => {
      const asked = { query: { ...query, limit: pageLength, after: pageParam }, signal }
      return ask(id, asked as unknown as OperationInput<Id>)
    },
    getNextPageParam: ({ has_more: hasMore, last_id: last }) =>
      hasMore ? (last ?? undefined) : undefined,
  })
}

/** An operation that changes something; the responses of the operations in `changes` are then loaded again. */
export function useChange<Id extends OperationId>(id: Id, changes: readonly OperationId[]) {
  const client = useQueryClient()
  return useMutation<Reply<Id>, Error, OperationInput<Id>>({
    mutationFn: (asked) => ask(id, asked),
    onSuccess: () =>
      Promise.all(changes.map((changed) => client.invalidateQueries({ queryKey: [changed] }))),
  })
}
