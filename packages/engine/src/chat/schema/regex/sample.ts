import { findNode, matchesPattern } from './match.ts'
import { type Node, parsePattern } from './parse.ts'

const charactersMax = 2000

/**
 * A text that a pattern matches, at least `lengthMin` characters long where the pattern allows it; undefined where
 * none was found.
 */
export function samplePattern(pattern: string, lengthMin = 0): string | undefined {
  const node = parsePattern(pattern)
  if (node === undefined)
    return usual.find((text) => text.length >= lengthMin && matchesPattern(pattern, text) === true)
  for (let extra = 0; extra <= Math.min(lengthMin, 200); extra = extra === 0 ? 1 : extra * 2) {
    const text = sampleOf(node, extra)
    if (text !== undefined && [...text].length >= lengthMin && findNode(node, text) === true)
      return text
  }
  const last = [sampleOf(node, lengthMin) ?? '', ...usual]
  return last.find((text) => [...text].length >= lengthMin && findNode(node, text) === true)
}

/** What patterns with look-ahead often ask for. */
const usual: readonly string[] = [
  'Aa1!Aa1!',
  'Aa1!Aa1!Aa1!',
  'abcd1234',
  'Abcd1234',
  '12345678',
  'abcdefgh',
  'a',
  'aa',
  'abab',
  'A',
  '1',
  '',
]

/** `extra` is how many more turns than needed an open repetition takes. */
function sampleOf(node: Node, extra: number): string | undefined {
  switch (node.kind) {
    case 'set':
      return node.sample
    case 'sequence': {
      let text = ''
      for (const part of node.nodes) {
        const piece = sampleOf(part, extra)
        if (piece === undefined || text.length + piece.length > charactersMax) return undefined
        text += piece
      }
      return text
    }
    case 'choice':
      for (const way of node.nodes) {
        const text = sampleOf(way, extra)
        if (text !== undefined) return text
      }
      return undefined
    case 'repeat': {
      const turns = Math.min(node.max, node.min + extra, charactersMax)
      const piece = turns === 0 ? '' : sampleOf(node.node, 0)
      return piece === undefined || piece.length * turns > charactersMax
        ? undefined
        : piece.repeat(turns)
    }
    case 'start':
    case 'end':
    case 'boundary':
    case 'ahead':
      return ''
  }
}
