import { type Fields, isObject, objectOf, textOf } from '@sluice/contract'
import { withoutFields } from '../../decisions.ts'
import type { CodecContext } from '../../protocol.ts'
import { searchDomains, withoutDomains } from '../../search-domains.ts'

/**
 * Groq's `search_settings` instead of `web_search_options`, which it rejects. Its compound systems search without being asked
 * to, its other models do not search (https://console.groq.com/docs/api-reference, chat). The caller's settings have priority.
 */
export function asSearchSettings(body: Fields, context: CodecContext): Fields {
  const { web_search_options: search, ...rest } = body
  if (!isObject(search)) return body
  if (!context.family.includes('compound'))
    return withoutFields(body, ['web_search_options'], context)
  const { leftOut } = context
  const { search_context_size: size, user_location: location, ...others } = withoutDomains(search)
  for (const [field, value] of Object.entries(others))
    if (value != null) leftOut(`web_search_options.${field}`)
  if (size != null && size !== 'medium') leftOut('web_search_options.search_context_size')
  const { type: _, approximate, ...beside } = objectOf(location)
  const { country, ...inside } = objectOf(approximate)
  const further = { ...beside, ...inside }
  const name = countryName(textOf(country).toUpperCase())
  if (location != null && (name === undefined || Object.keys(further).length > 0))
    leftOut('web_search_options.user_location')
  const { allowed_domains: included, blocked_domains: excluded } = searchDomains(search)
  const settings = {
    ...(included === undefined ? {} : { include_domains: included }),
    ...(excluded === undefined ? {} : { exclude_domains: excluded }),
    ...(name === undefined ? {} : { country: name }),
    ...objectOf(body['search_settings']),
  }
  return Object.keys(settings).length === 0 ? rest : { ...rest, search_settings: settings }
}

/** Countries that have a shorter name than the Unicode Consortium's. */
const shorter: Readonly<Record<string, string>> = {
  CZ: 'czech republic',
  HK: 'hong kong',
  TR: 'turkey',
}

/** Groq takes plain names in lower case ("united states"), and the caller writes codes (ISO 3166-1). */
function countryName(code: string): string | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const name = shorter[code] ?? names.of(code)?.toLowerCase() ?? ''
  return /^[a-z ]+$/.test(name) && !name.includes(' sar ') ? name : undefined
}
