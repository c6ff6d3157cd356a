import { type ChatRequest, invalidRequest } from '@sluice/contract'

/** A request with more characters and values than this is large. A smaller one takes a few milliseconds. */
const smallMax = 8000

/** Whether a value is so large that processing it may take long. */
export function isLarge(value: unknown): boolean {
  return holdsMore(value, smallMax, (text) => text.length)
}

/** Whether a value contains more than `max` values, where each text counts as `weigh` returns. Reads no more than necessary. */
export function holdsMore(
  value: unknown,
  max: number,
  weigh = (_text: string): number => 1,
): boolean {
  let left = max
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    left -= typeof next === 'string' ? weigh(next) : 1
    if (left < 0) return true
    if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next)) open.push(inner)
  }
  return false
}

/**
 * Keywords for minimum sizes. Like references, which may refer to a schema around them, they allow a small schema to require a
 * large value.
 */
const sizes = new Set(['minItems', 'minLength', 'minProperties', 'minContains'])
const smallSize = 50

/** Whether a schema, or a value with schemas in it, may require much more than its own size. */
export function wantsMuch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, inner]) =>
      name === '$ref' ||
      name === '$dynamicRef' ||
      (sizes.has(name) && typeof inner === 'number' && inner > smallSize) ||
      wantsMuch(inner),
  )
}

const levelsMax = 64

/** Throws invalid_request with the path of a tool or a schema that is nested more deeply than any real one. */
export function assertShallow({ tools, response_format: format }: ChatRequest): void {
  const tool = (tools ?? []).findIndex(isDeep)
  const param = tool >= 0 ? `tools[${tool}]` : 'response_format.json_schema'
  if (tool >= 0 || isDeep(format))
    throw invalidRequest(`'${param}' is nested more than ${levelsMax} levels deep`, param)
}

/**
 * Whether a value is nested more deeply than any real schema. Goes level by level, since deep nesting would exhaust the stack of
 * recursive code.
 */
export function isDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levelsMax) return true
    level = level.flatMap((inner) =>
      typeof inner === 'object' && inner !== null ? Object.values(inner) : [],
    )
  }
  return false
}
