import { type Fields, isObject, listOf, objectOf, textOf } from '@sluice/contract'
import type { Quirk } from '../../protocol.ts'
import { searchDomains, withoutDomains } from '../../search-domains.ts'
import { overBody } from './quirks.ts'

// How upstreams that resemble OpenAI name the domains that a search is limited to or kept out of.

/**
 * Perplexity's single list, in which a hyphen excludes a domain
 * (https://docs.perplexity.ai/guides/search-domain-filters).
 */
export const searchDomainFilter: Quirk = overSearch(({ allowed, blocked }, body) => ({
  search_domain_filter: body['search_domain_filter'] ?? [
    ...allowed,
    ...blocked.map((domain) => `-${textOf(domain)}`),
  ],
}))

/** OpenRouter's plugin; the caller's own has priority (https://openrouter.ai/docs/guides/features/plugins/web-search). */
export const searchPlugin: Quirk = overSearch(({ allowed, blocked }, body) => {
  const plugins = listOf(body['plugins'])
  const isWeb = (plugin: unknown) => objectOf(plugin)['id'] === 'web'
  return {
    plugins: [
      ...plugins.filter((plugin) => !isWeb(plugin)),
      {
        id: 'web',
        ...included(allowed, 'include_domains'),
        ...included(blocked, 'exclude_domains'),
        ...objectOf(plugins.find(isWeb)),
      },
    ],
  }
})

/** xAI's and OpenRouter's name in Responses for what OpenAI calls `blocked_domains` (https://docs.x.ai, web search). */
export const excludedDomains: Quirk = overBody(['chat'], (body) => {
  const tools = listOf(body['tools'])
  if (!tools.some((tool) => blockedIn(tool) !== undefined)) return body
  return {
    ...body,
    tools: tools.map((tool) => {
      const blocked = blockedIn(tool)
      if (!isObject(tool) || blocked === undefined) return tool
      const { blocked_domains: _, ...filters } = objectOf(tool['filters'])
      return { ...tool, filters: { excluded_domains: blocked, ...filters } }
    }),
  }
})

function blockedIn(tool: unknown): unknown {
  const { type, filters } = objectOf(tool)
  return textOf(type).startsWith('web_search') ? objectOf(filters)['blocked_domains'] : undefined
}

interface Domains {
  readonly allowed: readonly unknown[]
  readonly blocked: readonly unknown[]
  /** The other options of the search. */
  readonly options: Fields
}

/** Replaces the domain lists of `web_search_options`; its other options remain, if it has any. */
function overSearch(write: (domains: Domains, body: Fields) => Fields): Quirk {
  return overBody(['chat'], (body) => {
    const { web_search_options: search, ...rest } = body
    if (objectOf(search)['filters'] === undefined) return body
    const { allowed_domains: allowed, blocked_domains: blocked } = searchDomains(search)
    const options = withoutDomains(objectOf(search))
    const domains = { allowed: listOf(allowed), blocked: listOf(blocked), options }
    const isAsked = domains.allowed.length + domains.blocked.length > 0
    return {
      ...rest,
      web_search_options: options,
      ...(isAsked ? write(domains, body) : {}),
    }
  })
}

function included(domains: readonly unknown[], name: string): Fields {
  return domains.length === 0 ? {} : { [name]: domains }
}
