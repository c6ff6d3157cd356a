import { readFileSync } from 'node:fs'
import { stemOf } from './words.ts'

/** Groups of words with nearly the same meaning or subject, one a line. A word may belong to several. */
const groups = readFileSync(new URL('./related-words.txt', import.meta.url), 'utf8')

const concepts = new Map<string, readonly number[]>()
for (const [id, group] of groups.trim().split('\n').entries())
  for (const word of group.split(' ')) {
    const stem = stemOf(word)
    const known = concepts.get(stem) ?? []
    if (!known.includes(id)) concepts.set(stem, [...known, id])
  }

/** The numbers of the groups that a stem belongs to. */
export function conceptsOf(stem: string): readonly number[] {
  return concepts.get(stem) ?? []
}
