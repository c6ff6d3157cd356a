import { type Fields, listOf, objectOf } from '@sluice/contract'
import type { CodecContext } from './protocol.ts'

// Domains that a search keeps to, or keeps out of. Chat has no word for them; the canonical `web_search_options` has that of
// OpenAI's Responses, `filters` (https://platform.openai.com/docs/guides/tools-web-search, domain filtering).

export const domainLists = ['allowed_domains', 'blocked_domains'] as const

/** The lists that are not empty, as `filters`; no field where there is none. */
export function searchFilters(given: unknown): Fields {
  const lists = domainLists.flatMap((name) => {
    const domains = listOf(objectOf(given)[name])
    return domains.length === 0 ? [] : [[name, domains] as const]
  })
  return lists.length === 0 ? {} : { filters: Object.fromEntries(lists) }
}

/** The lists of a canonical search; an empty object where it looks anywhere. */
export function searchDomains(options: unknown): Fields {
  return objectOf(searchFilters(objectOf(options)['filters'])['filters'])
}

/** Says that a search cannot be kept to its domains: an answer from elsewhere would be another one. */
export function lackDomains(
  options: unknown,
  lists: readonly (typeof domainLists)[number][],
  { unsupported }: Pick<CodecContext, 'unsupported'>,
): void {
  const given = searchDomains(options)
  for (const name of lists)
    if (given[name] !== undefined)
      unsupported(
        `web_search_options.filters.${name}`,
        'The search of this provider takes no such list of domains',
      )
}

/**
 * The caller's path of a canonical one into the search, where a tool at `tool` asked for it; undefined for every other.
 * `names` are the tool's own words for what stands in the options.
 */
export function pathOfSearch(
  canonical: string,
  tool: () => string,
  names: Readonly<Record<string, string>> = {},
): string | undefined {
  const [, rest] = /^web_search_options(.*)$/.exec(canonical) ?? []
  if (rest === undefined) return undefined
  const field = rest.slice(1)
  return field === '' ? tool() : `${tool()}.${names[field] ?? field}`
}
