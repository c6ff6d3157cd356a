import { covers } from '../accounts/allowed.ts'

/** `-2026-04-23`, `-20260423`, `@20260423`, `-latest`, `:latest`: the same model as without it, for whoever pays. */
const version = /[-@:](?:\d{4}-?\d{2}-?\d{2}|latest)$/

/**
 * Whether the budget of a model counts this name. The caller chooses the spelling, and an upstream may read several as one model:
 * space at the ends of its parts, case, compatible characters, repeated slashes and the date of a version make no difference. A budget
 * that counts too much holds; one that counts too little does not.
 */
export function countsModel(pattern: string, name: string): boolean {
  if (covers(pattern, name)) return true
  const [wanted, said] = [spelled(pattern), spelled(name)]
  return covers(wanted, said) || covers(wanted, said.replace(version, ''))
}

function spelled(name: string): string {
  const plain = name.normalize('NFKC').trim().toLowerCase()
  return plain.replaceAll(/\s*(?:\/\s*)+/g, '/').replace(/^\//, '')
}
