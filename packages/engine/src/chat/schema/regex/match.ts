import { type Node, parsePattern } from './parse.ts'

const stepsMax = 20_000
const textCharactersMax = 5000

/** Whether a pattern is found in a text; undefined where it is malformed or costs too many steps to tell. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  return createMatcher(pattern)?.(text)
}

export type Matcher = (text: string) => boolean | undefined

/** As matchesPattern, with the pattern read once; undefined where it is malformed. */
export function createMatcher(pattern: string): Matcher | undefined {
  const node = parsePattern(pattern)
  if (node !== undefined)
    return (text) => (text.length > textCharactersMax ? undefined : findNode(node, text))
  const native = nativePattern(pattern)
  if (native === undefined) return undefined
  return (text) => (text.length > nativeCharactersMax ? undefined : native.test(text))
}

/** On so few characters even a bad pattern comes to an end soon. */
const nativeCharactersMax = 12

/** What the walk does not support, such as back references. */
function nativePattern(pattern: string): RegExp | undefined {
  try {
    return pattern.length > 200 ? undefined : new RegExp(pattern, 'u')
  } catch {
    return undefined
  }
}

/** Whether a pattern's tree is found in a text; undefined where it costs too many steps to tell. */
export function findNode(node: Node, text: string): boolean | undefined {
  const walk: Walk = { characters: [...text], steps: stepsMax }
  try {
    for (let start = 0; start <= walk.characters.length; start++)
      if (step({ node, at: start, next: () => true }, walk)) return true
    return false
  } catch (thrown) {
    if (thrown instanceof OutOfSteps || thrown instanceof RangeError) return undefined
    throw thrown
  }
}

interface Walk {
  readonly characters: readonly string[]
  steps: number
}

class OutOfSteps extends Error {}

interface State {
  readonly node: Node
  readonly at: number
  /** What must match behind the node. */
  readonly next: (at: number) => boolean
}

function step({ node, at, next }: State, walk: Walk): boolean {
  walk.steps -= 1
  if (walk.steps < 0) throw new OutOfSteps()
  const { characters } = walk
  switch (node.kind) {
    case 'set': {
      const character = characters[at]
      return character !== undefined && node.has(character) && next(at + 1)
    }
    case 'sequence':
      return inOrder(node.nodes, 0, { at, next }, walk)
    case 'choice':
      return node.nodes.some((way) => step({ node: way, at, next }, walk))
    case 'repeat':
      return repeat(node, 0, { at, next }, walk)
    case 'start':
      return at === 0 && next(at)
    case 'end':
      return at === characters.length && next(at)
    case 'boundary':
      return isBoundary(characters, at) !== node.negated && next(at)
    case 'ahead':
      return step({ node: node.node, at, next: () => true }, walk) !== node.negated && next(at)
  }
}

type Place = Omit<State, 'node'>

function inOrder(nodes: readonly Node[], index: number, { at, next }: Place, walk: Walk): boolean {
  const node = nodes[index]
  if (node === undefined) return next(at)
  return step(
    { node, at, next: (after) => inOrder(nodes, index + 1, { at: after, next }, walk) },
    walk,
  )
}

function repeat(
  node: Node & { readonly kind: 'repeat' },
  count: number,
  { at, next }: Place,
  walk: Walk,
): boolean {
  if (count < node.max) {
    const again = (after: number): boolean =>
      // An empty turn would repeat for ever.
      (after > at || count < node.min) && repeat(node, count + 1, { at: after, next }, walk)
    if (step({ node: node.node, at, next: again }, walk)) return true
  }
  return count >= node.min && next(at)
}

function isBoundary(characters: readonly string[], at: number): boolean {
  const isWord = (character: string | undefined): boolean =>
    character !== undefined && /^\w$/.test(character)
  return isWord(characters[at - 1]) !== isWord(characters[at])
}
