import { type Fields, isObject } from '@sluice/contract'
import { snakeCase } from './letter-case.ts'

/** The field in either spelling; `name` is in camel case. null counts as absent. */
export function pick(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[snakeCase(name)] ?? undefined
}

/** The name of a field in the spelling of the request. `name` is in camel case. */
export function spelled(fields: Fields, name: string): string {
  return fields[name] == null && fields[snakeCase(name)] != null ? snakeCase(name) : name
}

/** A path of names in camel case, in the spelling that the request has of each. */
export function spelledPath(path: string, request: unknown): string {
  let fields = request
  const names = path.split('.').map((name) => {
    const own = spelled(isObject(fields) ? fields : {}, name)
    fields = isObject(fields) ? fields[own] : undefined
    return own
  })
  return names.join('.')
}
