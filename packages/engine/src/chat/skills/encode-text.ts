import type { Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { numbersOf } from '../text/numbers.ts'

const morseTable =
  'a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- w.-- x-..- y-.-- z--.. 0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---.. 9----.'
const morse = new Map(morseTable.split(' ').map((entry) => [entry.charAt(0), entry.slice(1)]))
const unmorse = new Map([...morse].map(([letter, code]) => [code, letter]))

interface Code {
  readonly name: RegExp
  readonly encode: (text: string, instruction: string) => string
  readonly decode: (text: string, instruction: string) => string | undefined
}

const codes: readonly Code[] = [
  {
    name: /\bbase[- ]?64\b/i,
    encode: (text) => Buffer.from(text, 'utf8').toString('base64'),
    decode: (text) => readable(Buffer.from(text.trim(), 'base64')),
  },
  {
    name: /\brot[- ]?13\b/i,
    encode: (text) => shifted(text, 13),
    decode: (text) => shifted(text, 13),
  },
  {
    name: /\bcaesar\b/i,
    encode: (text, instruction) => shifted(text, shiftIn(instruction)),
    decode: (text, instruction) => shifted(text, -shiftIn(instruction)),
  },
  { name: /\bmorse(?: code)?\b/i, encode: toMorse, decode: fromMorse },
  { name: /\bpig latin\b/i, encode: pigLatin, decode: () => undefined },
  {
    name: /\burl[- ]?(?:encod\w*|decod\w*)\b|\bpercent[- ]encod\w*\b/i,
    encode: urlEncoded,
    decode: urlDecoded,
  },
  {
    name: /\bhex(?:adecimal)?\b/i,
    encode: (text) =>
      numeric(text) === undefined
        ? Buffer.from(text, 'utf8').toString('hex')
        : (numeric(text) ?? 0n).toString(16),
    decode: (text) => parsedInteger(`0x${text.trim().replace(/^0x/i, '')}`),
  },
  {
    name: /\bbinary\b/i,
    encode: (text) =>
      numeric(text)?.toString(2) ??
      [...Buffer.from(text, 'utf8')].map((byte) => byte.toString(2).padStart(8, '0')).join(' '),
    decode: (text) => parsedInteger(`0b${text.trim().replace(/^0b/i, '')}`),
  },
  {
    name: /\broman numerals?\b/i,
    encode: (text) => roman(Number(numeric(text) ?? 0n)),
    decode: fromRoman,
  },
]

const codeWords =
  /\b(?:in(?:to)?|to|as|from|using|with)?(?: a| the)? ?(?:base[- ]?64|rot[- ]?13|caesar(?: cipher| code)?(?: (?:with )?(?:a )?(?:shift|key) (?:of )?\d{1,3})?|morse(?: code)?|pig latin|url[- ]?(?:encod\w*|decod\w*)|percent[- ]encod\w*|hex(?:adecimal)?|binary|roman numerals?)(?: (?:encoded|encoding|form|code|to (?:text|decimal|plain text|english)))?\b/i
const verb =
  /^(?:please |can you |could you |now )?(?:encode|decode|convert|translate|write|turn|change|put|encrypt|decrypt|what(?: is|'s)|give(?: me)?|say|spell)\b(?: (?:the|this|following|text|number|string|decimal|word|sentence|message|phrase|name))*/i

/** Base64, ROT13, Caesar, Morse, pig latin, URL encoding, hexadecimal, binary and Roman numerals. */
export const encodeText: Skill = {
  name: 'encode-text',
  answer(ask) {
    const code = codes.find(({ name }) => name.test(ask.instruction))
    if (code === undefined) return undefined
    if (!verb.test(ask.instruction) && !/\b(?:encode|decode)/i.test(ask.instruction))
      return undefined
    const bare = {
      ...ask,
      instruction: ask.instruction.replace(codeWords, ' ').replace(/\s+/g, ' ').trim(),
    }
    const text = operandOf(bare, verb)
    if (text === undefined || text.length > 200_000) return undefined
    const back =
      /\bdecod|\bdecrypt|\bfrom (?:base|hex|morse|binary|roman)|\b(?:to|into) (?:decimal|text|plain|english|a (?:decimal|number))/i.test(
        ask.instruction,
      )
    const result = back ? code.decode(text, ask.instruction) : code.encode(text, ask.instruction)
    if (result === undefined || result === '') return undefined
    return {
      skill: 'encode-text',
      phrasings: [result],
      value: result,
      evidence: [text],
      verbatim: true,
    }
  },
}

function readable(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? undefined : text
}

function shiftIn(instruction: string): number {
  return numbersOf(instruction)[0]?.value ?? 3
}

function shifted(text: string, shift: number): string {
  const by = ((Math.trunc(shift) % 26) + 26) % 26
  return text.replace(/[a-z]/gi, (letter) => {
    const first = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - first + by) % 26) + first)
  })
}

function toMorse(text: string): string {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => [...word].flatMap((letter) => morse.get(letter) ?? []).join(' '))
    .filter((word) => word !== '')
    .join(' / ')
}

function fromMorse(text: string): string | undefined {
  const words = text.trim().split(/\s*\/\s*|\s{3,}/)
  const decoded = words.map((word) =>
    word
      .split(/\s+/)
      .map((code) => unmorse.get(code) ?? '?')
      .join(''),
  )
  return decoded.join(' ').toUpperCase()
}

function pigLatin(text: string): string {
  return text.replace(/[a-z]+/gi, (word) => {
    const match = /^((?:qu|[^aeiou])*)(.*)$/i.exec(word.toLowerCase())
    const [, head = '', tail = ''] = match ?? []
    const made = head === '' ? `${tail}way` : `${tail}${head}ay`
    return /^[A-Z]/.test(word) ? made.charAt(0).toUpperCase() + made.slice(1) : made
  })
}

function urlEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function urlDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return undefined
  }
}

function numeric(text: string): bigint | undefined {
  const digits = text.trim().replaceAll(',', '')
  return /^\d{1,60}$/.test(digits) ? BigInt(digits) : undefined
}

function parsedInteger(text: string): string | undefined {
  return /^0(?:x[\da-f]{1,100}|b[01]{1,400})$/i.test(text) ? BigInt(text).toString() : undefined
}

const romanDigits: readonly (readonly [number, string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
]

function roman(value: number): string {
  if (value < 1 || value > 3999) return ''
  let rest = value
  let written = ''
  for (const [worth, sign] of romanDigits)
    while (rest >= worth) {
      written += sign
      rest -= worth
    }
  return written
}

function fromRoman(text: string): string | undefined {
  const signs = text.trim().toUpperCase()
  if (!/^[MDCLXVI]{1,15}$/.test(signs)) return undefined
  let rest = signs
  let total = 0
  for (const [worth, sign] of romanDigits)
    while (rest.startsWith(sign)) {
      total += worth
      rest = rest.slice(sign.length)
    }
  return rest === '' && roman(total) === signs ? String(total) : undefined
}
