import { hash } from 'node:crypto'

/** Which names of tools a target takes. */
export interface NameRule {
  readonly fits: RegExp
  readonly charactersMax: number
}

/** OpenAI's rule, which most others copied. */
export const usualNames: NameRule = { fits: /^[a-zA-Z0-9_-]{1,64}$/, charactersMax: 64 }

/**
 * The names of one request as the target takes them. A name that fits stays; another becomes its beginning and its hash,
 * in every request the same, so that a conversation and its cached prompt keep it.
 */
export interface ToolNames {
  /** The name to send. */
  fitted(name: string): string
  /** The caller's own name of what was sent. */
  original(name: string): string
}

const hashCharacters = 8

export function createToolNames(
  { fits, charactersMax }: NameRule,
  own: Iterable<string>,
): ToolNames {
  const taken = new Set(own)
  const made = new Map<string, string>()
  const originals = new Map<string, string>()
  return {
    fitted(name) {
      if (fits.test(name)) return name
      const known = made.get(name)
      if (known !== undefined) return known
      let short = shortened(name, charactersMax)
      // Another tool may be called so; its name fits and stays.
      while (taken.has(short)) short = shortened(short + name, charactersMax)
      taken.add(short)
      made.set(name, short)
      originals.set(short, name)
      return short
    },
    original: (name) => originals.get(name) ?? name,
  }
}

/** A letter first and nothing but letters, digits, `_` and `-`: what every target takes. */
function shortened(name: string, charactersMax: number): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?![a-zA-Z])/, 't')
  const mark = hash('sha256', name, 'hex').slice(0, hashCharacters)
  return `${plain.slice(0, charactersMax - hashCharacters - 1)}_${mark}`
}
