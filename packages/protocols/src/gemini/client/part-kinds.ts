import type { Fields } from '@sluice/contract'
import { camelCase, memberOf } from '../part-members.ts'
import { refuse } from './fields.ts'

/** Rejects a part of an unknown kind, and one with several, of which Gemini reads none. `path` is the part's place. */
export function checkPartKind(part: Fields, path: string): void {
  const names = Object.entries(part)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name]) => camelCase(name))
  const kinds = names.filter((name) => memberOf(name) === 'kind')
  if (kinds.length > 1) refuse(path, `a part holds one of ${kinds.join(', ')}`)
  const unknown = names.find((name) => memberOf(name) === 'unread')
  if (kinds.length === 0 && unknown !== undefined)
    refuse(path, `only Gemini itself knows parts of kind ${unknown}`)
}
