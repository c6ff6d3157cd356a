import { invalidRequest } from '@sluice/contract'
import { parameter } from './openapi-endpoint.ts'
import { text } from './shapes.ts'

/** A query parameter. A repeated one is refused as ambiguous. */
export function one(query: unknown, name: string): string | undefined {
  const value = (query as Readonly<Record<string, unknown>>)[name]
  if (value === undefined || typeof value === 'string') return value
  throw invalidRequest(`${name} is given more than once`, name)
}

export function whole(
  text: string | undefined,
  param: string,
  { minimum, maximum, fallback }: { minimum: number; maximum: number; fallback: number },
): number {
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < minimum || value > maximum)
    throw invalidRequest(`${param} must be ${saidRange(minimum, maximum)}`, param)
  return value
}

function saidRange(minimum: number, maximum: number): string {
  const least = `a whole number of at least ${minimum}`
  return maximum === Number.MAX_SAFE_INTEGER ? least : `${least} and at most ${maximum}`
}

/** The parameters of lists that are read page by page. */
export const paging = {
  limit: parameter(
    { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    'Number of items per page.',
  ),
  after: parameter(
    text,
    'The id of the last item of the previous page. One that was deleted meanwhile has no place: 400.',
  ),
  order: parameter({ enum: ['asc', 'desc'], default: 'desc' }, 'Sort order by creation time.'),
}

/** The values of parameters, of which absent ones are undefined. */
export type Values<Query> = { readonly [Name in keyof Query]?: string | undefined }

/** Parses the parameters of `paging`. */
export function pagingOf({ limit, after, order = 'desc' }: Values<typeof paging>, minimum = 1) {
  const most = whole(limit, 'limit', { minimum, maximum: 100, fallback: 20 })
  if (order !== 'asc' && order !== 'desc')
    throw invalidRequest("'order' must be asc or desc", 'order')
  return { limit: most, isAscending: order === 'asc', after: after === '' ? undefined : after }
}

/** The parameters of lists of named items. */
export const searched = {
  ...paging,
  search: parameter(text, 'Only what has this in its name or is of this id.'),
}

/** Filters items by the `search` parameter; returns all if it is absent. */
export function namedAs<Item extends Listed & { readonly name: string }>(
  { search = '' }: Values<typeof searched>,
  items: readonly Item[],
): readonly Item[] {
  const asked = search.trim()
  const part = asked.toLowerCase()
  return items.filter(({ id, name }) => id === asked || name.toLowerCase().includes(part))
}

interface Listed {
  readonly id: string
}

/** One page of items in creation order, newest first unless `order` is asc. */
export function pageIn<Item extends Listed>(items: readonly Item[], query: Values<typeof paging>) {
  const { limit, after, isAscending } = pagingOf(query)
  const ordered = isAscending ? items : items.toReversed()
  const place = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after)
  if (after !== undefined && place < 0)
    throw invalidRequest(
      'There is nothing with this id in the list: begin again, or go on after another item',
      'after',
    )
  return pageOfItems(ordered.slice(place + 1, place + 2 + limit), limit)
}

/** `found` holds one item more than the page if there are more pages. */
export function pageOfItems<Item extends Listed>(found: readonly Item[], limit: number) {
  const data = found.slice(0, limit)
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  }
}
