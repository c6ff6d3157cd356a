/**
 * A regular expression (ECMA-262, Pattern) as a tree. Patterns come from callers' schemas, so they are matched by a
 * walk with a budget (match.ts) instead of an engine that a bad pattern could keep busy for ever.
 */
export type Node =
  | { readonly kind: 'set'; readonly has: (character: string) => boolean; readonly sample: string }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'boundary'; readonly negated: boolean }
  | { readonly kind: 'ahead'; readonly node: Node; readonly negated: boolean }

const patternCharactersMax = 1000
const depthMax = 30

interface Reader {
  readonly source: readonly string[]
  at: number
  depth: number
}

class Unsupported extends Error {}

/** The tree of a pattern; undefined where it is malformed or uses what is not supported (back references, look-behind). */
export function parsePattern(pattern: string): Node | undefined {
  if (pattern.length > patternCharactersMax) return undefined
  const reader: Reader = { source: [...pattern], at: 0, depth: 0 }
  try {
    const node = choice(reader)
    return reader.at === reader.source.length ? node : undefined
  } catch (thrown) {
    if (thrown instanceof Unsupported) return undefined
    throw thrown
  }
}

function peek(reader: Reader, ahead = 0): string {
  return reader.source[reader.at + ahead] ?? ''
}

function eat(reader: Reader, text: string): boolean {
  if (reader.source.slice(reader.at, reader.at + text.length).join('') !== text) return false
  reader.at += text.length
  return true
}

function choice(reader: Reader): Node {
  if (++reader.depth > depthMax) throw new Unsupported()
  const nodes = [sequence(reader)]
  while (eat(reader, '|')) nodes.push(sequence(reader))
  reader.depth -= 1
  const [only] = nodes
  return nodes.length === 1 && only !== undefined ? only : { kind: 'choice', nodes }
}

function sequence(reader: Reader): Node {
  const nodes: Node[] = []
  while (reader.at < reader.source.length && peek(reader) !== '|' && peek(reader) !== ')')
    nodes.push(quantified(reader))
  return { kind: 'sequence', nodes }
}

function quantified(reader: Reader): Node {
  const node = atom(reader)
  const [min, max] = quantifier(reader) ?? [1, 1]
  eat(reader, '?')
  if (min > max) throw new Unsupported()
  return min === 1 && max === 1 ? node : { kind: 'repeat', node, min, max }
}

function quantifier(reader: Reader): readonly [number, number] | undefined {
  if (eat(reader, '*')) return [0, Number.POSITIVE_INFINITY]
  if (eat(reader, '+')) return [1, Number.POSITIVE_INFINITY]
  if (eat(reader, '?')) return [0, 1]
  const match = /^\{(\d{1,6})(,?)(\d{0,6})\}/.exec(
    reader.source.slice(reader.at, reader.at + 16).join(''),
  )
  if (match === null) return undefined
  reader.at += match[0].length
  const min = Number(match[1])
  if (match[2] === '') return [min, min]
  return [min, match[3] === '' ? Number.POSITIVE_INFINITY : Number(match[3])]
}

function atom(reader: Reader): Node {
  const character = peek(reader)
  reader.at += 1
  switch (character) {
    case '^':
      return { kind: 'start' }
    case '$':
      return { kind: 'end' }
    case '.':
      return { kind: 'set', has: (other) => other !== '\n' && other !== '\r', sample: 'a' }
    case '[':
      return characterClass(reader)
    case '(':
      return group(reader)
    case '\\':
      return escape(reader)
    case '*':
    case '+':
    case '?':
      throw new Unsupported()
    default:
      return literal(character)
  }
}

function literal(character: string): Node {
  return { kind: 'set', has: (other) => other === character, sample: character }
}

function group(reader: Reader): Node {
  let ahead: boolean | undefined
  if (eat(reader, '?:')) ahead = undefined
  else if (eat(reader, '?=')) ahead = false
  else if (eat(reader, '?!')) ahead = true
  else if (peek(reader) === '?') {
    const name = /^\?<[A-Za-z_$][\w$]{0,60}>/.exec(
      reader.source.slice(reader.at, reader.at + 64).join(''),
    )
    if (name === null) throw new Unsupported()
    reader.at += name[0].length
  }
  const node = choice(reader)
  if (!eat(reader, ')')) throw new Unsupported()
  return ahead === undefined ? node : { kind: 'ahead', node, negated: ahead }
}

const digits = (character: string): boolean => character >= '0' && character <= '9'
const wordly = (character: string): boolean => /^\w$/.test(character)
const blank = (character: string): boolean => /^\s$/u.test(character)

const shorthands: Readonly<Record<string, readonly [(character: string) => boolean, string]>> = {
  d: [digits, '1'],
  D: [(character) => !digits(character), 'a'],
  w: [wordly, 'a'],
  W: [(character) => !wordly(character), '-'],
  s: [blank, ' '],
  S: [(character) => !blank(character), 'a'],
}
const controls: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  '0': '\0',
}

function escape(reader: Reader): Node {
  const character = peek(reader)
  if (character === 'b' || character === 'B') {
    reader.at += 1
    return { kind: 'boundary', negated: character === 'B' }
  }
  if (/[1-9k]/.test(character)) throw new Unsupported()
  return escapedSet(reader)
}

function escapedSet(reader: Reader): Node & { readonly kind: 'set' } {
  const character = peek(reader)
  reader.at += 1
  const shorthand = shorthands[character]
  if (shorthand !== undefined) return { kind: 'set', has: shorthand[0], sample: shorthand[1] }
  if (character === 'p' || character === 'P') return property(reader, character === 'P')
  const rest = reader.source.slice(reader.at, reader.at + 10).join('')
  const code = (
    character === 'u' ? /^(?:\{([\da-f]{1,6})\}|([\da-f]{4}))/i : /^([\da-f]{2})/i
  ).exec(rest)
  if ((character === 'u' || character === 'x') && code !== null) {
    reader.at += code[0].length
    const point = Number.parseInt(code[1] ?? code[2] ?? '0', 16)
    if (point > 0x10ffff) throw new Unsupported()
    const made = String.fromCodePoint(point)
    return { kind: 'set', has: (other) => other === made, sample: made }
  }
  if (character === '') throw new Unsupported()
  const made = controls[character] ?? character
  return { kind: 'set', has: (other) => other === made, sample: made }
}

/** `\p{Lu}`: one character at a time is safe to leave to the engine. */
function property(reader: Reader, negated: boolean): Node & { readonly kind: 'set' } {
  const match = /^\{[A-Za-z_=]{1,40}\}/.exec(
    reader.source.slice(reader.at, reader.at + 44).join(''),
  )
  if (match === null) throw new Unsupported()
  reader.at += match[0].length
  let pattern: RegExp
  try {
    pattern = new RegExp(`^\\${negated ? 'P' : 'p'}${match[0]}$`, 'u')
  } catch {
    throw new Unsupported()
  }
  const sample = [...'aA1-_ .é中'].find((character) => pattern.test(character))
  if (sample === undefined) throw new Unsupported()
  return { kind: 'set', has: (character) => pattern.test(character), sample }
}

function characterClass(reader: Reader): Node {
  const negated = eat(reader, '^')
  const tests: ((character: string) => boolean)[] = []
  const samples: string[] = []
  while (peek(reader) !== ']') {
    if (reader.at >= reader.source.length) throw new Unsupported()
    const low = member(reader)
    if (peek(reader) === '-' && peek(reader, 1) !== ']' && low.single !== undefined) {
      reader.at += 1
      const high = member(reader)
      const [from, to] = [low.single, high.single]
      if (to === undefined || point(from) > point(to)) throw new Unsupported()
      tests.push((character) => point(character) >= point(from) && point(character) <= point(to))
    } else tests.push(low.has)
    samples.push(low.sample)
  }
  reader.at += 1
  const has = (character: string): boolean => tests.some((test) => test(character)) !== negated
  const sample = [...(negated ? [] : samples), ...'aA1x0-_ .~b'].find(has)
  if (sample === undefined) throw new Unsupported()
  return { kind: 'set', has, sample }
}

function point(character: string): number {
  return character.codePointAt(0) ?? 0
}

function member(reader: Reader): {
  readonly has: (character: string) => boolean
  readonly sample: string
  readonly single: string | undefined
} {
  const character = peek(reader)
  reader.at += 1
  if (character !== '\\')
    return { has: (other) => other === character, sample: character, single: character }
  if (eat(reader, 'b')) return { has: (other) => other === '\b', sample: '\b', single: '\b' }
  const isClass = /[dDwWsSpP]/.test(peek(reader))
  const set = escapedSet(reader)
  return { has: set.has, sample: set.sample, single: isClass ? undefined : set.sample }
}
