import { type Context, createContext, Script } from 'node:vm'

export type Matcher = (text: string) => boolean | undefined

/** Whether a pattern is found in a text; undefined where it is malformed or takes too long to tell. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  return createMatcher(pattern)?.(text)
}

const patternCharactersMax = 1000
const textCharactersMax = 5000
/** On so few characters even a bad pattern comes to an end soon. */
const harmlessCharactersMax = 12
const timeoutMs = 50

const test = new Script('pattern.test(text)')
let world: Context | undefined

/** As matchesPattern, with the pattern read once; undefined where it is malformed. */
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
      // Patterns are the caller's, and some of them never come to an end.
      return undefined
    }
  }
}

/** As JSON Schema wants it read, or else as older patterns are. */
export function parsePattern(source: string): RegExp | undefined {
  if (source.length > patternCharactersMax) return undefined
  for (const flags of ['u', ''])
    try {
      return new RegExp(source, flags)
    } catch {
      // Tried the other way.
    }
  return undefined
}
