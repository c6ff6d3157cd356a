import { type ChatRequest, invalidRequest } from '@sluice/contract'

/** Of more characters and values than this a request is large; a smaller one takes a few milliseconds. */
const smallMax = 8000

/** Whether a value holds so much that working with it may take long. */
export function isLarge(value: unknown): boolean {
  return holdsMore(value, smallMax, (text) => text.length)
}

/** Whether a value holds more values than `max`, each text counting as `weigh` says. Looks at no more than it needs. */
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

/** Least sizes, and references, which may stand in what they refer to: a small schema wants a large value. */
const sizes = new Set(['minItems', 'minLength', 'minProperties', 'minContains'])
const smallSize = 50

/** Whether a schema, or what holds some, may ask for much more than it holds itself. */
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

/** Level by level, since what is nested too deeply exhausts the stack of whatever walks it by calling itself. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levelsMax) return true
    level = level.flatMap((inner) =>
      typeof inner === 'object' && inner !== null ? Object.values(inner) : [],
    )
  }
  return false
}
