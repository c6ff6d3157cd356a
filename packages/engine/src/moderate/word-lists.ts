import { readFileSync } from 'node:fs'
import { hashOf } from '../embed/vector.ts'

/**
 * Plain word lists, which match any form of each word. Words of reporting are used by people who report, study, heal or tell
 * stories.
 */
const lists = readFileSync(new URL('./moderation-words.txt', import.meta.url), 'utf8')

/** Slurs, explicit words and swear words: FNV-1a hashes of their stems in base 36, so that nobody has to read them. */
const hashedLists = readFileSync(new URL('./hashed-words.txt', import.meta.url), 'utf8')

/** Returns the names of the lists that contain a stem, in the form of patterns: `@kill`. */
export function createTagger(
  stemOf: (word: string) => string,
): (stem: string) => readonly string[] {
  const plain = tagsByWord(lists, stemOf)
  const hashed = tagsByWord(hashedLists, (hash) => hash)
  return (stem) => [
    ...(plain.get(stem) ?? []),
    ...(hashed.get((hashOf(stem) >>> 0).toString(36)) ?? []),
  ]
}

function tagsByWord(source: string, keyOf: (word: string) => string) {
  const tags = new Map<string, string[]>()
  for (const [, name, words = ''] of source.matchAll(/(\w+):([^:]+)(?=\n\w+:|\n$)/g))
    for (const word of words.trim().split(/\s+/)) {
      const known = tags.get(keyOf(word)) ?? []
      tags.set(keyOf(word), [...known, `@${name}`])
    }
  return tags
}
