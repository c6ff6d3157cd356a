import type { ShownSetting } from '@sluice/gateway/route/settings-file.ts'
import { hidden, shownUrl } from '@sluice/gateway/settings/shown-url.ts'
import type { Config } from './config.ts'
import type { Decided, TextDecision } from './setting-decision.ts'
import { settingDecisions } from './setting-decisions.ts'

/**
 * All settings that administrators may see, each with its path. Shown is what the table of decisions names; everything else
 * that an object holds at run time is left out.
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
  readonly decision: TextDecision | undefined
}

function leavesOf(value: unknown, decided: Decided, path: string, name = ''): readonly Leaf[] {
  if (value === undefined || decided === 'never') return []
  if (typeof value !== 'object' || value === null)
    return [{ path, name, value, decision: typeof decided === 'string' ? decided : decided.text }]
  const entries: readonly Entry[] = Array.isArray(value)
    ? value.map((item: unknown, at) => ({ name, item, at: `${path}[${at}]` }))
    : Object.entries(value).map(([key, item]) => ({ name: key, item, at: joined(path, key) }))
  if (entries.length === 0) return [{ path, name, value, decision: 'shown' }]
  return entries.flatMap((entry) => {
    const one = typeof decided === 'string' ? decided : decisionFor(entry.name, decided)
    return one === undefined ? [] : leavesOf(entry.item, one, entry.at, entry.name)
  })
}

interface Entry {
  readonly name: string
  readonly item: unknown
  readonly at: string
}

function decisionFor(name: string, { each, members = {} }: Exclude<Decided, string>) {
  return each ?? (Object.hasOwn(members, name) ? members[name] : undefined)
}

/** The password, or the user if it stands alone as a token does, and the values of the query. */
function credentialsIn(text: string): readonly string[] {
  const url = URL.parse(text)
  if (url === null) return []
  const account = url.password === '' ? url.username : url.password
  return [decodedAccount(account), ...url.searchParams.values()].filter((part) => part !== '')
}

function decodedAccount(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function joined(path: string, name: string): string {
  const step = /^[\w-]+$/.test(name) ? name : `[${JSON.stringify(name)}]`
  if (path === '') return step
  return step.startsWith('[') ? path + step : `${path}.${step}`
}
