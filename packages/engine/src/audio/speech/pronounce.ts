import { irregularWords } from './irregular-words.ts'
import { isPhoneme, type Phoneme } from './phonemes.ts'
import { pronunciationRules } from './pronunciation-rules.ts'

interface Rule {
  readonly pattern: RegExp
  readonly letters: number
  readonly phonemes: readonly Phoneme[]
}

const consonant = '[BCDFGHJKLMNPQRSTVWXZ]'
const contexts: Readonly<Record<string, string>> = {
  '#': '[AEIOUY]+',
  '^': consonant,
  ':': `${consonant}*`,
  '.': '[BDVGJLMNRWZ]',
  '+': '[EIY]',
  '%': "(?:ES?|ED|ERS?|INGS?|ELY)(?![A-Z'])",
  '&': '(?:CH|SH|[SCGZXJ])',
  '@': '(?:TH|CH|SH|[TSRDLZNJ])',
}

const rules: ReadonlyMap<string, readonly Rule[]> = readRules()

/** The sounds of one English word: letters a to z and apostrophes, in any case. */
export function pronounce(word: string): readonly Phoneme[] {
  const known = irregularWords.get(word.toLowerCase())
  if (known !== undefined) return known
  const text = ` ${word.toUpperCase().replace(/[^A-Z']/g, '')} `
  const phonemes: Phoneme[] = []
  for (let at = 1; at < text.length - 1; ) {
    const rule = findRule(text, at)
    if (rule === undefined) at++
    else {
      phonemes.push(...rule.phonemes)
      at += rule.letters
    }
  }
  return phonemes
}

function findRule(text: string, at: number): Rule | undefined {
  return rules.get(text[at] ?? '')?.find(({ pattern }) => {
    pattern.lastIndex = at
    return pattern.test(text)
  })
}

function readRules(): ReadonlyMap<string, readonly Rule[]> {
  const read = new Map<string, Rule[]>()
  for (const line of pronunciationRules.split('\n'))
    for (const entry of line.split(';')) {
      const [, left = '', letters = '', right = '', sounds = ''] =
        /^(.*)\[(.+)\](.*)=(.*)$/.exec(entry) ?? []
      if (letters === '') continue
      const list = read.get(letters[0] ?? '') ?? []
      read.set(letters[0] ?? '', list)
      list.push({
        pattern: new RegExp(`(?<=${contextOf(left)})${letters}(?=${contextOf(right)})`, 'y'),
        letters: letters.length,
        phonemes: sounds.split(' ').filter(isPhoneme),
      })
    }
  return read
}

function contextOf(context: string): string {
  return [...context].map((sign) => contexts[sign] ?? sign).join('')
}
