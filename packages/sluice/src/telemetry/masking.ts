import { findPhoneNumbersInText } from 'libphonenumber-js/min'

/** A text in which apparent secrets and personal data are replaced. */
export interface Masked {
  readonly text: string
  /** Number of replacements. */
  readonly count: number
}

/** A pattern and its replacement. */
interface Pattern {
  readonly pattern: RegExp
  readonly replacement: string
  /** Checks whether a match really is what it looks like. */
  readonly check?: (found: string) => boolean
}

/**
 * Applied in this order; later patterns do not see what earlier ones replaced. A cut key has no end, so it extends to the end
 * of the text.
 */
const patterns: readonly Pattern[] = [
  {
    pattern:
      /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
    replacement: '[PRIVATE KEY]',
  },
  // JSON Web Tokens: a header that begins with `{"`, in base64url.
  { pattern: /\beyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g, replacement: '[TOKEN]' },
  {
    // Keys by the prefixes of their makers: OpenAI, Anthropic, Stripe, Sluice, Google, GitHub, GitLab, Slack, AWS, Hugging
    // Face, npm, Groq, xAI, Perplexity, SendGrid, Replicate.
    pattern:
      /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bAIza[\w-]{20,}|\bya29\.[\w.-]{20,}|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abeoprs]-[\w-]{10,}|\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b|\bhf_\w{20,}|\bnpm_\w{20,}|\bgsk_\w{20,}|\bxai-\w{20,}|\bpplx-\w{20,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\br8_\w{20,}/g,
    replacement: '[API KEY]',
  },
  { pattern: /\bBearer\s+[\w.~+/-]{16,}=*/gi, replacement: 'Bearer [TOKEN]' },
  {
    // The password in a URL: the text between the name and the host.
    pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}(?=@)/gi,
    replacement: '[PASSWORD]',
  },
  {
    pattern:
      /(?<=\b(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"',;&]{6,200}/gi,
    replacement: '[SECRET]',
  },
  {
    // Local part and domain of RFC 5321, in their usual form.
    pattern: /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu,
    replacement: '[EMAIL]',
  },
  {
    pattern: /\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}(?![A-Z0-9])/g,
    replacement: '[IBAN]',
    check: isIban,
  },
  {
    pattern: /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d])/g,
    replacement: '[CARD NUMBER]',
    check: isCardNumber,
  },
]

/** Characters that precede a phone number; without any of them the text is not searched. */
const mayHoldPhone = /\+\s?\d/

/**
 * Replaces apparent secrets (keys, tokens, passwords, private keys) and personal data (email addresses, phone numbers with a
 * country code, card numbers, IBANs). These are patterns and do not guarantee that nothing remains.
 */
export function maskText(text: string): Masked {
  let masked = text
  let count = 0
  for (const { pattern, replacement, check } of patterns)
    masked = masked.replace(pattern, (found) => {
      if (check && !check(found)) return found
      count += 1
      return replacement
    })
  const phones = mayHoldPhone.test(masked) ? maskPhones(masked) : { text: masked, count: 0 }
  return { text: phones.text, count: count + phones.count }
}

function maskPhones(text: string): Masked {
  const found = findPhoneNumbersInText(text)
  let masked = ''
  let from = 0
  for (const { startsAt, endsAt } of found) {
    masked += `${text.slice(from, startsAt)}[PHONE]`
    from = endsAt
  }
  return { text: masked + text.slice(from), count: found.length }
}

/** The check digit of ISO/IEC 7812-1, by Luhn's formula. */
function isCardNumber(found: string): boolean {
  const digits = found.replace(/\D/g, '')
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place])
    const doubled = place % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0 && /[1-9]/.test(digits)
}

/** The check digits of ISO 13616: the number in base 36 with its head at the end leaves 1 by 97. */
function isIban(found: string): boolean {
  const plain = found.replace(/[ -]/g, '')
  if (plain.length < 15 || plain.length > 34) return false
  let rest = 0
  for (const character of plain.slice(4) + plain.slice(0, 4))
    for (const digit of Number.parseInt(character, 36).toString())
      rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}
