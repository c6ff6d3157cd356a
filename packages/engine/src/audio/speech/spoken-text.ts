import { spokenNumber, spokenOrdinal, spokenYear } from './spoken-numbers.ts'

/** What is said, and what is paused at. */
export type SpokenItem =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'pause'; readonly mark: PauseMark }

export type PauseMark = ',' | ';' | '.' | '?' | '!'

const abbreviations: Readonly<Record<string, string>> = {
  'dr.': 'doctor',
  'mr.': 'mister',
  'mrs.': 'missis',
  'ms.': 'miz',
  'prof.': 'professor',
  'st.': 'saint',
  'etc.': 'et cetera',
  'e.g.': 'for example',
  'i.e.': 'that is',
  'vs.': 'versus',
  'no.': 'number',
  'approx.': 'approximately',
}

const symbols: Readonly<Record<string, string>> = {
  '&': ' and ',
  '%': ' percent ',
  '@': ' at ',
  '+': ' plus ',
  '=': ' equals ',
  '<': ' less than ',
  '>': ' greater than ',
  '#': ' number ',
  '°': ' degrees ',
  '×': ' times ',
  '÷': ' divided by ',
  '/': ' slash ',
  '*': ' ',
  _: ' ',
}

const currencies: Readonly<Record<string, string>> = {
  $: 'dollars',
  '€': 'euros',
  '£': 'pounds',
  '¥': 'yen',
}

/** Greek and Cyrillic letters as an English reader would spell them. */
const letters = new Map(
  (
    'α a β b γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o ' +
    'а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х h ц ts ч ch ш sh щ sh ы i э e ю yu я ya ' +
    'ß ss æ ae ø o ł l đ d þ th ð th œ oe ı i'
  )
    .split(' ')
    .reduce<[string, string][]>((pairs, item, i, all) => {
      if (i % 2 === 0) pairs.push([item, all[i + 1] ?? ''])
      return pairs
    }, []),
)

/** Writes a text as it is read aloud: numbers, signs and abbreviations become words. */
export function spokenItems(text: string): readonly SpokenItem[] {
  const items: SpokenItem[] = []
  for (const [token] of spellOut(text).matchAll(
    /[A-Za-z]+(?:['’][A-Za-z]+)*|\.{2,}|[,;:.?!\n—–()]/g,
  )) {
    const mark = pauseMark(token)
    if (mark === undefined) items.push(...wordsOf(token))
    else if (items.at(-1)?.kind === 'word') items.push({ kind: 'pause', mark })
  }
  return items
}

function spellOut(text: string): string {
  return (
    text
      .replace(/https?:\/\/(?:www\.)?/g, '')
      .replace(/\b(?:dr|mrs?|ms|prof|st|etc|e\.g|i\.e|vs|no|approx)\./gi, (short) => {
        return abbreviations[short.toLowerCase()] ?? short
      })
      .replace(/([$€£¥])\s?(\d[\d,]*)(\.\d+)?/g, (_, sign: string, whole: string, part = '') => {
        return ` ${spokenMoney(currencies[sign] ?? '', whole, part)} `
      })
      .replace(/(\d{1,2}):(\d{2})(?!\d)/g, (_, hours: string, minutes: string) => {
        const rest = minutes === '00' ? '' : minutes.startsWith('0') ? `oh ${minutes[1]}` : minutes
        return ` ${spokenNumber(hours)} ${rest} `
      })
      .replace(/\b(\d+)(?:st|nd|rd|th)\b/gi, (_, digits: string) => ` ${spokenOrdinal(digits)} `)
      .replace(/(?<![\d,.])(1[1-9]|20)\d{2}(?!\d|[,.]\d)/g, (year) => ` ${spokenYear(year)} `)
      .replace(/(?<![\w)])[-−](?=\d)/g, ' minus ')
      .replace(/\d[\d,]*\d(?:\.\d+)?|\d(?:\.\d+)?/g, (digits) => ` ${spokenNumber(digits)} `)
      .replace(/(?<=[A-Za-z0-9])\.(?=[A-Za-z])/g, ' dot ')
      .replace(/[&%@+=<>#°×÷/*_]/g, (sign) => symbols[sign] ?? ' ')
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      // What no rule can read is hinted at, not read out at length.
      .replace(/([^\p{ASCII}\P{L}]{6})[^\p{ASCII}\P{L}]+/gu, (run: string, start: string) => {
        return letters.has(run[0]?.toLowerCase() ?? '') ? run : start
      })
      .replace(/\p{L}/gu, plainLetter)
  )
}

function spokenMoney(currency: string, whole: string, part: string): string {
  if (!/^\.\d\d$/.test(part)) return `${spokenNumber(whole + part)} ${currency}`
  return `${spokenNumber(whole)} ${currency} ${part === '.00' ? '' : spokenNumber(part.slice(1))}`
}

/** A letter no rule covers still makes a sound: an open syllable that depends on it. */
function plainLetter(letter: string): string {
  if (/[A-Za-z]/.test(letter)) return letter
  const known = letters.get(letter.toLowerCase())
  if (known !== undefined) return known
  const code = letter.codePointAt(0) ?? 0
  return ` ${'kstnhmyrwpb'[code % 11]}${'aeiou'[(code >> 4) % 5]}h `
}

function pauseMark(token: string): PauseMark | undefined {
  if (/^[A-Za-z]/.test(token)) return undefined
  if (token === '.' || token === '?' || token === '!') return token
  return token === '\n' || token.startsWith('..') || token === ';' || token === ':' ? ';' : ','
}

/** Capitals without a vowel between them, and very short ones, are spelt: `HTTP`, `AI`. */
function wordsOf(token: string): readonly SpokenItem[] {
  const spelt = /^[A-Z]{2,5}$/.test(token) && (token.length <= 3 || !/[AEIOUY]/.test(token))
  const lone = /^[B-HJ-Zb-hj-z]$/.test(token)
  if (!spelt && !lone) return [{ kind: 'word', word: token.toLowerCase().replace('’', "'") }]
  return [...token].map((letter) => ({ kind: 'word', word: `letter-${letter.toLowerCase()}` }))
}
