import { invalidRequest } from '../core/errors.ts'

/**
 * Maximum nesting of lists and objects. No real request has more, most upstreams reject it, and recursive code can handle far
 * more than this.
 */
const levelsMax = 256

/** Maximum steps in the path of a value that is nested too deeply; further ones would only repeat themselves. */
const stepsMax = 8

/** Whether a JSON value is nested more deeply than any real one. */
export function isTooDeep(value: unknown): boolean {
  return typeof value === 'object' && value !== null && reachesBelow(value, levelsMax)
}

/** Throws `invalid_request` with the path of what is nested too deeply. `path` is the path of the value itself. */
export function assertDepth(value: unknown, path = ''): void {
  if (!isTooDeep(value)) return
  const param = deepPath(value as object, path)
  throw invalidRequest(
    `The request has more than ${levelsMax} levels of nested arrays and objects`,
    param === '' ? undefined : param,
  )
}

function reachesBelow(value: object, levels: number): boolean {
  if (levels === 0) return true
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index]
      if (typeof item === 'object' && item !== null && reachesBelow(item, levels - 1)) return true
    }
    return false
  }
  const fields = value as Readonly<Record<string, unknown>>
  for (const name in fields) {
    const field = fields[name]
    if (typeof field === 'object' && field !== null && reachesBelow(field, levels - 1)) return true
  }
  return false
}

function deepPath(value: object, start: string): string {
  let path = start
  let node = value
  for (let steps = 1; steps <= stepsMax; steps += 1) {
    const deep = Object.entries(node).find(
      ([, field]) =>
        typeof field === 'object' && field !== null && reachesBelow(field, levelsMax - steps),
    )
    if (!deep) return path
    const [name, field] = deep
    path += Array.isArray(node) ? `[${name}]` : path === '' ? name : `.${name}`
    node = field as object
  }
  return path
}
