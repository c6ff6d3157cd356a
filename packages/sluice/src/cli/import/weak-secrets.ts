import { hash } from 'node:crypto'

/** Fewer characters than this can be tried out. */
const lengthMin = 16
/** Bits of a secret by the frequency of its characters; a random one of 16 letters and digits has more. */
const bitsMin = 40

/** Secrets of examples, without the prefix: they stand in documentation and in settings of thousands. */
const wellKnown: readonly string[] = `
  1234 12345 123456 12345678 1234567890 123 0000 1111 abc abcd abc123 test test-key testing demo dev local key
  my-key mykey my_key my-secret-key secret password changeme change-me change_me change-this master master-key
  masterkey admin root litellm litellm-master-key litellm-key litellm_master_key my_special_key my-special-key
  your-key your-master-key your-secret-key your-api-key proxy dummy fake fake-key none anything xxx xxxx
  xxxxxxxx default example openai ollama key-1
`
  .trim()
  .split(/\s+/)

/** Why a secret is too weak to open a gateway; undefined if it is not. */
export function weaknessOf(secret: string): string | undefined {
  const rest = secret.replace(/^sk-/, '')
  if (wellKnown.includes(rest.toLowerCase())) return 'its secret is one of examples'
  if (rest.length < lengthMin) return `its secret has fewer than ${lengthMin} characters`
  if (bitsOf(rest) < bitsMin) return 'its secret is easy to guess: few different characters'
  return undefined
}

function bitsOf(text: string): number {
  const counts = [...Map.groupBy(text, (letter) => letter).values()].map(({ length }) => length)
  return counts.reduce((bits, count) => bits - count * Math.log2(count / text.length), 0)
}

/** Numbers of up to this many digits are tried out. */
const digitsMax = 5

let hashes: ReadonlySet<string> | undefined

/**
 * Whether a hash of a whole secret is that of a weak one: those of examples and short numbers are tried out; of others only the
 * hash is known.
 */
export function isWeakHash(hashOfWhole: string): boolean {
  hashes ??= new Set([...wellKnown, ...numbers()].map((secret) => hash('sha256', `sk-${secret}`)))
  return hashes.has(hashOfWhole)
}

function* numbers(): Generator<string> {
  for (let digits = 1; digits <= digitsMax; digits++)
    for (let number = 0; number < 10 ** digits; number++) yield String(number).padStart(digits, '0')
}
