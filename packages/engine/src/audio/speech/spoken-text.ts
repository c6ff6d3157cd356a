/** A word to speak, or a pause. */
export type SpokenItem =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'pause'; readonly mark: PauseMark }

export type PauseMark = ',' | ';' | '.' | '?' | '!'

const digits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** The words of a text and the pauses between them. Digits are read one by one; accents are ignored. */
export function spokenItems(text: string): readonly SpokenItem[] {
  const items: SpokenItem[] = []
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  for (const [found] of plain.matchAll(/\p{L}+(?:['’]\p{L}+)*|\p{N}|\.{2,}|[,;:.?!\n—–()]/gu)) {
    if (/^\p{L}/u.test(found)) items.push({ kind: 'word', word: found.replace(/['’]/g, '') })
    else if (/^\p{N}/u.test(found)) items.push({ kind: 'word', word: digits[Number(found)] ?? '' })
    else if (items.at(-1)?.kind === 'word') items.push({ kind: 'pause', mark: markOf(found) })
  }
  return items
}

function markOf(found: string): PauseMark {
  if (found === '.' || found === '?' || found === '!') return found
  return found === '\n' || found.startsWith('..') || found === ';' || found === ':' ? ';' : ','
}
