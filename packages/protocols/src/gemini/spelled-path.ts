import { isObject } from '@sluice/contract'
import { spelled } from './spelling.ts'

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
