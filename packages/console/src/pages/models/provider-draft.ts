import type { Fields } from '../../parts/fields.ts'

/**
 * What a change of a provider sends: the fields that differ, null for those that were removed, and the key if one was typed. What
 * is hidden stays as it is, because it was not changed.
 */
export function changedFields(before: Fields, draft: Fields, key: string): Fields {
  const names = [...new Set([...Object.keys(before), ...Object.keys(draft)])]
  const changed = names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(draft[name]))
    .map((name) => [name, draft[name] ?? null] as const)
  return { ...Object.fromEntries(changed), ...(key.trim() !== '' && { key: key.trim() }) }
}
