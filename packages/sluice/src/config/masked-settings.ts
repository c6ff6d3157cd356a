import { isDeepStrictEqual } from 'node:util'
import type { Change, Section, Written } from '@sluice/gateway/route/setting-sections.ts'
import { hidden, shownUrl } from '@sluice/gateway/settings/shown-url.ts'
import { type Decided, decisionFor } from './setting-decision.ts'
import { settingDecisions } from './setting-decisions.ts'

/** A section without secrets. Routes have none, and callers see their names and targets. */
export function maskedSection(section: Section, written: Written): Written {
  if (section === 'models') return written
  return masked(written, decisionFor(section, settingDecisions)) as Written
}

const isNew = `${hidden} (new)`

/** A change without secrets: a hidden value that differs from the one before is marked as new. */
export function maskedChange(section: Section, whole: Change): Change {
  if (section === 'models') return whole
  const { name, before, after, ...change } = whole
  const decided = decisionFor(name, decisionFor(section, settingDecisions))
  return {
    ...change,
    name,
    before: before === null ? null : masked(before, decided),
    after: after === null ? null : masked(after, decided, before),
  }
}

/** A value as administrators may see it, and texts about which nothing is decided hidden. `before` is what it was. */
function masked(value: unknown, decided: Decided, before: unknown = value): unknown {
  if (typeof value === 'object' && value !== null) return maskedEach(value, decided, before)
  if (typeof value !== 'string') return value
  const decision = typeof decided === 'string' ? decided : decided.text
  if (decision === 'shown') return value
  const shown = decision === 'url' ? shownUrl(value) : hidden
  return isDeepStrictEqual(value, before) || shown !== hidden ? shown : isNew
}

function maskedEach(value: object, decided: Decided, before: unknown): unknown {
  const was = (key: string | number) =>
    typeof before === 'object' && before !== null
      ? (before as Readonly<Record<string, unknown>>)[key]
      : undefined
  if (Array.isArray(value))
    return value.map((item: unknown, at) => masked(item, decisionFor(String(at), decided), was(at)))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      masked(item, decisionFor(key, decided), was(key)),
    ]),
  )
}
