import { wordsIn } from '../../word-lists.ts'

/** Longer pieces are cut, so that an endless line does not become an endless sentence. */
const sentenceCharactersMax = 2000

const abbreviations = wordsIn('abbreviations')

/** The sentences of a text in order, trimmed; none of them is empty. Lines of a list are sentences of their own. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  // Where the current sequence of marks ends; searched once for all marks in it.
  let closersEnd = 0
  const close = (end: number): void => {
    const sentence = text.slice(start, end).trim()
    if (sentence !== '') sentences.push(sentence.replace(/\s*\n\s*/g, ' '))
    start = end
  }
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    const isMark = '.!?。！？'.includes(character)
    if (isMark && index >= closersEnd) closersEnd = afterClosers(text, index + 1)
    if (character === '\n') {
      if (isLineBreak(text, index)) close(index + 1)
    } else if (isMark && endsSentence(text, index, closersEnd)) {
      close(closersEnd)
      index = closersEnd - 1
    } else if (index - start >= sentenceCharactersMax && mayCut(text, index, start)) close(index)
  }
  close(text.length)
  return sentences
}

/** Cuts between words if there is a gap, otherwise within an endless word, but never within a character. */
function mayCut(text: string, index: number, start: number): boolean {
  if (/\s/.test(text.charAt(index))) return true
  const code = text.charCodeAt(index)
  return index - start >= 2 * sentenceCharactersMax && (code < 0xdc00 || code > 0xdfff)
}

/** A blank line, a list item or an indented line ends the sentence before; a wrapped line of prose does not. */
function isLineBreak(text: string, index: number): boolean {
  const next = text.slice(index + 1, index + 6)
  if (next === '' || /^[ \t]*(?:\r?\n|[-*•#>|]|\d{1,3}[.)])/.test(next)) return true
  const before = text.slice(Math.max(0, index - 2), index).trimEnd()
  if (/[.!?:;,]$/.test(before)) return !before.endsWith(',')
  // A short line followed by a capital is a heading, an item or a row, and not wrapped prose.
  const lineStart = text.lastIndexOf('\n', index - 1) + 1
  return index - lineStart < 60 || /^[A-Z][^:]{0,30}:/.test(text.slice(index + 1, index + 34))
}

/** `after` is where the sequence of marks that begins at `index` ends. */
function endsSentence(text: string, index: number, after: number): boolean {
  const character = text.charAt(index)
  if ('。！？'.includes(character) || after >= text.length) return true
  if (!/\s/.test(text.charAt(after))) return false
  if (character !== '.') return true
  const word = /[\p{L}\p{N}.]*$/u.exec(text.slice(Math.max(0, index - 12), index))?.[0] ?? ''
  if (abbreviations.has(word.toLowerCase()) || /^[A-Za-z]$/.test(word))
    return text.charAt(after) === '\n'
  // "1. First" numbers an item; "in 1843. She" ends a sentence.
  const start = index - word.length
  if (/^\d{1,2}$/.test(word) && (start <= 0 || text.charAt(start - 1) === '\n')) return false
  return !/^[a-z]/.test(text.slice(after, after + 20).trimStart())
}

function afterClosers(text: string, index: number): number {
  let end = index
  while (end < text.length && '.!?"”’\')]'.includes(text.charAt(end))) end++
  return end
}
