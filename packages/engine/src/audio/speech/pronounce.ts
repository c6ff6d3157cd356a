import { isPhoneme, type Phoneme } from './phonemes.ts'

/** The usual sounds of groups of letters in English. Longer groups come first. */
const table = `
tion SH AX N|sion ZH AX N|ture CH ER|ight AY T|ough OW|augh AO|eigh EY|igh AY|tch CH|dge JH|sch S K|ear IY R|air EH R
ch CH|sh SH|th TH|ph F|wh W|wr R|kn N|ck K|ng NG|qu K W|ee IY|ea IY|oo UW|ou AW|ow OW|oa OW|oi OY|oy OY|ai EY|ay EY
au AO|aw AO|ew Y UW|ie IY|ei EY|ey IY|er ER|ir ER|ur ER|ar AA R|or AO R|ce S|ci S IH|cy S IY
a AE|b B|c K|d D|e EH|f F|g G|h HH|i IH|j JH|k K|l L|m M|n N|o AA|p P|q K|r R|s S|t T|u AH|v V|w W|x K S|y IY|z Z
`
const longVowels: Readonly<Record<string, string>> = {
  a: 'EY',
  e: 'IY',
  i: 'AY',
  o: 'OW',
  u: 'UW',
}
/** Frequent words with an irregular pronunciation. */
const irregular = `
a AX|an AE N|are AA R|be B IY|by B AY|do D UW|go G OW|have HH AE V|he HH IY|hello HH AX L OW|i AY|is IH Z|me M IY|my M AY
no N OW|of AX V|one W AH N|said S EH D|she SH IY|so S OW|that DH AE T|the DH AX|their DH EH R|there DH EH R|they DH EY
this DH IH S|to T UW|two T UW|was W AA Z|we W IY|were W ER|what W AA T|who HH UW|word W ER D|world W ER L D|you Y UW
your Y AO R|zero Z IH R OW|four F AO R|eight EY T|nine N AY N
`

const letters = entriesOf(table)
const words = entriesOf(irregular)

/** The sounds of one English word in lower case. Every letter of another script becomes an open syllable. */
export function pronounce(word: string): readonly Phoneme[] {
  const known = words.get(word)
  if (known !== undefined) return known
  // A doubled letter sounds once. An e at the end is silent and makes the vowel before it long.
  const text = word.replace(/([b-df-hj-np-tv-z])\1/g, '$1')
  const [, stem, vowel = '', consonant] = /^(.*)([aeiou])([b-df-hj-np-tvz])e$/.exec(text) ?? []
  if (stem !== undefined && consonant !== undefined)
    return [...spell(stem), ...phonemes(longVowels[vowel] ?? ''), ...spell(consonant)]
  return spell(text.length > 2 ? text.replace(/e$/, '') : text)
}

function spell(text: string): readonly Phoneme[] {
  const sounds: Phoneme[] = []
  for (let at = 0; at < text.length; ) {
    const size = [4, 3, 2, 1].find((length) => letters.has(text.slice(at, at + length))) ?? 0
    sounds.push(...(letters.get(text.slice(at, at + size)) ?? ['AX' as const]))
    at += Math.max(1, size)
  }
  return sounds
}

function entriesOf(source: string): ReadonlyMap<string, readonly Phoneme[]> {
  const entries = source.split(/[|\n]/).filter((entry) => entry !== '')
  return new Map(
    entries.map((entry) => {
      const [name = '', ...sounds] = entry.split(' ')
      return [name, phonemes(sounds.join(' '))]
    }),
  )
}

function phonemes(names: string): readonly Phoneme[] {
  return names.split(' ').filter(isPhoneme)
}
