import { readFileSync } from 'node:fs'
import { splitWords, stemOf, type Word } from './words.ts'

/** The counted features of a text and their weights. */
export type Features = ReadonlyMap<string, number>

const weights = { stop: 0.12, phrase: 0.45, spelling: 0.8, skeleton: 0.7, concept: 0.75 } as const

/**
 * Weighs the stems, neighboring stems, letter sequences and everyday concepts of a text. Each repetition counts less than the
 * one before. A text without words is weighed by its characters, so that every text has features.
 */
export function weighFeatures(text: string): Features {
  const counts = new Map<string, { readonly weight: number; count: number }>()
  const add = (feature: string, weight: number): void => {
    const known = counts.get(feature)
    if (known === undefined) counts.set(feature, { weight, count: 1 })
    else known.count++
  }
  let before: Word | undefined
  for (const word of splitWords(text)) {
    add(`w:${word.stem}`, word.stop ? weights.stop : telling(word))
    if (word.stop) continue
    if (before !== undefined) add(`p:${before.stem} ${word.stem}`, weights.phrase)
    before = word
    addSpelling(word.plain, add)
    const skeleton = skeletonOf(word.stem)
    if (skeleton.length > 2) add(`k:${skeleton}`, weights.skeleton)
    const concepts = conceptsOf(word.stem)
    for (const concept of concepts) add(`c:${concept}`, weights.concept / concepts.length)
  }
  if (counts.size === 0) for (const character of text.slice(0, 10_000)) add(`x:${character}`, 1)
  const features = new Map<string, number>()
  for (const [feature, { weight, count }] of counts)
    features.set(feature, weight * (1 + Math.log(count)))
  return features
}

/** Long words usually have more meaning than short ones. */
function telling({ plain }: Word): number {
  return 0.7 + 0.06 * Math.min(8, plain.length)
}

/** A word without doubled letters and inner vowels; most misspellings do not change it. */
function skeletonOf(stem: string): string {
  return (
    stem.slice(0, 1) +
    stem
      .slice(1)
      .replace(/[aeiouy]/g, '')
      .replace(/(.)\1+/g, '$1')
  )
}

/** Sequences of three and four letters, including the edges of the word; similar spellings share most of them. */
function addSpelling(plain: string, add: (feature: string, weight: number) => void): void {
  const edged = `<${plain}>`
  const sequences = Math.max(1, 2 * edged.length - 5)
  const weight = weights.spelling / Math.sqrt(sequences)
  for (let at = 0; at + 3 <= edged.length; at++) {
    add(`3:${edged.slice(at, at + 3)}`, weight)
    if (at + 4 <= edged.length) add(`4:${edged.slice(at, at + 4)}`, weight)
  }
}

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
function conceptsOf(stem: string): readonly number[] {
  return concepts.get(stem) ?? []
}
