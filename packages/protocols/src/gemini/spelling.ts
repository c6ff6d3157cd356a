import type { Fields } from '@sluice/contract'
import { snakeCase } from './letter-case.ts'

/** The field in either spelling; `name` is in camel case. null counts as absent. */
export function pick(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[snakeCase(name)] ?? undefined
}

/** The name of a field in the spelling of the request. `name` is in camel case. */
export function spelled(fields: Fields, name: string): string {
  return fields[name] == null && fields[snakeCase(name)] != null ? snakeCase(name) : name
}
