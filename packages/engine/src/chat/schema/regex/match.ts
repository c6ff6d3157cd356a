import { type Context, createContext, Script } from 'node:vm'

export type Matcher = (text: string) => boolean | undefined

/** Whether a pattern matches in a text; undefined if it is malformed or takes too long. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  return createMatcher(pattern)?.(text)
}

const patternCharactersMax = 1000
const textCharactersMax = 5000
/** On so few characters even a bad pattern ends soon. */
const harmlessCharactersMax = 12
const timeoutMs = 50

const test = new Script('pattern.test(text)')
let world: Context | undefined

/** As matchesPattern, but the pattern is parsed only once; undefined if it is malformed. */
export function createMatcher(source: string): Matcher | undefined {
  const pattern = parsePattern(source)
  if (pattern === undefined) return undefined
  return (text) => {
    if (text.length <= harmlessCharactersMax) return pattern.test(text)
    if (text.length > textCharactersMax) return undefined
    world ??= createContext({})
    Object.assign(world, { pattern, text })
    try {
      return test.runInContext(world, { timeout: timeoutMs }) === true
    } catch {
      // Patterns come from callers, and some of them never end.
      return undefined
    }
  }
}

/** Parses the pattern as JSON Schema requires, otherwise as older patterns were read. */
export function parsePattern(source: string): RegExp | undefined {
  if (source.length > patternCharactersMax) return undefined
  for (const flags of ['u', ''])
    try {
      return new RegExp(source, flags)
    } catch {
      // Tried with the other flags.
    }
  return undefined
}
