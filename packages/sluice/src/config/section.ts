import { isDeepStrictEqual } from 'node:util'
import { isObject } from '@sluice/contract'
import { parse, stringify } from 'yaml'
import type { Change, Section, Written } from '@sluice/gateway/route/setting-sections.ts'
import type { Config } from './config.ts'

/** A section as sluice.yaml has it, with references to variables as they are written. */
export function declaredSection(config: Config, section: Section): Written {
  if (config.configText === undefined) return config[section]
  const content: unknown = parse(config.configText, { merge: true, maxAliasCount: 100 })
  const found = isObject(content) ? content[section] : undefined
  return isObject(found) ? found : {}
}

/** The differences, by name. */
export function changesBetween(before: Written, after: Written): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((name): readonly Change[] => {
    const was = Object.hasOwn(before, name) ? before[name] : undefined
    const is = Object.hasOwn(after, name) ? after[name] : undefined
    if (isDeepStrictEqual(was, is)) return []
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'
    return [{ name, change, before: was ?? null, after: is ?? null }]
  })
}

/** The section as YAML, for those who would rather declare it. */
export function yamlOf(section: Section, written: Written): string {
  return stringify({ [section]: written }, { lineWidth: 0 })
}
