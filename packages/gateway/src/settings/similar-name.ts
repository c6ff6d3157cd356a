import distance from 'damerau-levenshtein'

/** Longer names are hardly typos and would take long to compare. */
const lengthMax = 80

/**
 * The name that was probably meant: the closest one that differs only in case or dashes, or in one or two letters (three in
 * longer names); otherwise one that equals the last word, as `key` in `apiKey`. Undefined if none is close.
 */
export function similarName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > lengthMax) return undefined
  const plain = plainly(name)
  let most = Math.min(3, Math.floor(plain.length / 3))
  const lastWord = plainly(name.split(/[-_ ]|(?=[A-Z][a-z])/).at(-1) ?? '')
  let nearest: string | undefined
  let byWord: string | undefined
  for (const candidate of names) {
    const other = plainly(candidate)
    if (lastWord.length > 2 && other === lastWord && other !== plain) byWord ??= candidate
    if (candidate === name || Math.abs(other.length - plain.length) > most) continue
    if (other === plain) return candidate
    const { steps } = distance(plain, other)
    if (steps > most) continue
    nearest = candidate
    most = steps - 1
  }
  return nearest ?? byWord
}

/** `Did you mean "x"?`, or an empty string. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const similar = similarName(name, names)
  return similar === undefined ? '' : `Did you mean ${JSON.stringify(similar)}?`
}

function plainly(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '')
}
