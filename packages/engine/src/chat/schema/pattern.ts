import { type Context, createContext, Script } from 'node:vm'
import { type AST, RegExpParser } from '@eslint-community/regexpp'

type Matcher = (text: string) => boolean | undefined

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
function parsePattern(source: string): RegExp | undefined {
  if (source.length > patternCharactersMax) return undefined
  for (const flags of ['u', ''])
    try {
      return new RegExp(source, flags)
    } catch {
      // Tried with the other flags.
    }
  return undefined
}

const charactersMax = 2000

/** What patterns with look-ahead often require. */
const usual: readonly string[] =
  'Aa1!Aa1! Aa1!Aa1!Aa1! abcd1234 Abcd1234 12345678 abcdefgh a aa abab A 1'.split(' ').concat('')
/** Characters to try for a set. */
const likely = [...'aA1x0-_ .~b!é中\n']

/** A text that a pattern matches, with at least `lengthMin` characters if the pattern allows it; undefined if none was found. */
export function samplePattern(source: string, lengthMin = 0): string | undefined {
  const pattern = parsePattern(source)
  const matches = createMatcher(source)
  if (pattern === undefined || matches === undefined) return undefined
  const tree = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: pattern.unicode,
  })
  const turns = [0, lengthMin, 1, 2, 4, 8, 16, 32, 64, 128]
  const made = turns
    .filter((extra) => extra === 0 || extra < 2 * lengthMin)
    .map((extra) => sampleOf(tree, extra, pattern.flags))
  return [...made, ...usual].find(
    (text) => text !== undefined && [...text].length >= lengthMin && matches(text) === true,
  )
}

/** `extra` is how many more repetitions than necessary an open repetition gets. */
function sampleOf(node: AST.Node, extra: number, flags: string): string | undefined {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return node.alternatives
        .map((way) => sampleOf(way, extra, flags))
        .find((text) => text !== undefined)
    case 'Alternative':
      return joined(node.elements.map((element) => sampleOf(element, extra, flags)))
    case 'Quantifier': {
      const turns = Math.min(node.max, node.min + extra, charactersMax)
      const piece = turns === 0 ? '' : sampleOf(node.element, 0, flags)
      return joined(Array.from({ length: turns }, () => piece))
    }
    case 'Character':
      return String.fromCodePoint(node.value)
    case 'CharacterSet':
    case 'CharacterClass':
      return memberOf(node, flags)
    case 'Backreference':
      return Array.isArray(node.resolved) ? undefined : sampleOf(node.resolved, 0, flags)
    default:
      return ''
  }
}

function joined(pieces: readonly (string | undefined)[]): string | undefined {
  if (pieces.includes(undefined)) return undefined
  const text = pieces.join('')
  return text.length > charactersMax ? undefined : text
}

/** A character of a set: one that it names, or a likely one. */
function memberOf(
  { raw }: AST.CharacterSet | AST.CharacterClass,
  flags: string,
): string | undefined {
  const pattern = new RegExp(`^${raw}$`, flags)
  return [...raw, ...likely].find((character) => pattern.test(character))
}
