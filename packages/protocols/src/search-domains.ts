import { type Fields, listOf, objectOf } from '@sluice/contract'
import type { Reports } from './native-target.ts'

// Domains that a search is restricted to, or that it excludes. Chat completions cannot express them; the canonical
// `web_search_options`
// use `filters` of OpenAI's Responses (https://platform.openai.com/docs/guides/tools-web-search, domain filtering).

export const domainLists = ['allowed_domains', 'blocked_domains'] as const

/** The lists that are not empty, as `filters`; an empty object if there are none. */
export function searchFilters(given: unknown): Fields {
  const lists = domainLists.flatMap((name) => {
    const domains = listOf(objectOf(given)[name])
    return domains.length === 0 ? [] : [[name, domains] as const]
  })
  return lists.length === 0 ? {} : { filters: Object.fromEntries(lists) }
}

/** The lists of a canonical search; an empty object if it is not restricted. */
export function searchDomains(options: unknown): Fields {
  return objectOf(searchFilters(objectOf(options)['filters'])['filters'])
}

/** The options of a canonical search without the lists, with whatever else they have. */
export function withoutDomains(options: Fields): Fields {
  const { filters, ...rest } = options
  const { allowed_domains: _, blocked_domains: __, ...others } = objectOf(filters)
  return Object.keys(others).length === 0 ? rest : { ...rest, filters: others }
}

/**
 * Reports that a search cannot be restricted to its domains. A response from other domains would not be what the caller asked
 * for.
 */
export function reportUnsupportedDomains(
  options: unknown,
  lists: readonly (typeof domainLists)[number][],
  { unsupported }: Pick<Reports, 'unsupported'>,
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
 * Translates a canonical path into the search into the caller's path, if a tool at `tool` requested the search; undefined for
 * every other path. `names` are the tool's own names of the options.
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
