import type { ShownSetting } from '@sluice/gateway/route/setting-sections.ts'
import { hidden, shownUrl } from '@sluice/gateway/settings/shown-url.ts'
import type { Config } from './config.ts'
import { percentDecoded } from './percent-decoded.ts'
import { formatPath } from './references.ts'
import { type Decided, decisionFor, type TextDecision } from './setting-decision.ts'
import { settingDecisions } from './setting-decisions.ts'

/**
 * All settings that administrators may see, each with its path. Of texts those are shown that the table of decisions names; all
 * others that an object holds at run time are left out.
 */
export function shownSettings(config: Config): readonly ShownSetting[] {
  return leavesOf(config, settingDecisions, '').map(({ path, value, decision }) => {
    if (decision === 'shown') return { path, value, isHidden: false }
    const shown = decision === 'url' && typeof value === 'string' ? shownUrl(value) : hidden
    return { path, value: shown, isHidden: shown === hidden }
  })
}

/** All secrets in the settings, in clear text, each with the name of its setting or header. */
export function secretSettings(
  config: Config,
): readonly { readonly name: string; readonly secret: string }[] {
  return leavesOf(config, settingDecisions, '').flatMap(({ name, value, decision }) => {
    if (typeof value !== 'string') return []
    const secrets = decision === 'secret' ? [value] : decision === 'url' ? credentialsIn(value) : []
    return secrets.map((secret) => ({ name, secret }))
  })
}

interface Leaf {
  readonly path: string
  /** The last name of the path. */
  readonly name: string
  readonly value: unknown
  readonly decision: TextDecision
}

function leavesOf(value: unknown, decided: Decided, path: string, name = ''): readonly Leaf[] {
  if (value === undefined || decided === 'never') return []
  if (typeof value !== 'object' || value === null) {
    const hasNoText = typeof value === 'number' || typeof value === 'boolean'
    const decision = typeof decided === 'string' ? decided : decided.text
    if (decision === undefined && !hasNoText) return []
    return [{ path, name, value, decision: decision ?? 'shown' }]
  }
  const entries: readonly Entry[] = Array.isArray(value)
    ? value.map((item: unknown, at) => ({ name, item, at: `${path}[${at}]` }))
    : Object.entries(value).map(([key, item]) => ({ name: key, item, at: joined(path, key) }))
  if (entries.length === 0) return [{ path, name, value, decision: 'shown' }]
  return entries.flatMap((entry) => {
    const one = decisionFor(entry.name, decided)
    return leavesOf(entry.item, one, entry.at, entry.name)
  })
}

interface Entry {
  readonly name: string
  readonly item: unknown
  readonly at: string
}

/** The password, or the user if it stands alone as a token does, and the values of the query. */
function credentialsIn(text: string): readonly string[] {
  const url = URL.parse(text)
  if (url === null) return []
  const account = url.password === '' ? url.username : url.password
  return [percentDecoded(account), ...url.searchParams.values()].filter((part) => part !== '')
}

function joined(path: string, name: string): string {
  const step = formatPath([name])
  return path === '' || step.startsWith('[') ? path + step : `${path}.${step}`
}
