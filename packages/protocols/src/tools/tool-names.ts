import { hash } from 'node:crypto'

/** The tool names that a target accepts. */
export interface NameRule {
  readonly fits: RegExp
  readonly charactersMax: number
}

/** OpenAI's rule, which most others copied. */
export const usualNames: NameRule = { fits: /^[a-zA-Z0-9_-]{1,64}$/, charactersMax: 64 }

/**
 * The names of one request in a form that the target accepts. A valid name is kept. Any other is replaced by its beginning and
 * its hash, which is the same in every request, so that a conversation and its cached prompt keep it.
 */
export interface ToolNames {
  /** The name to send. */
  fitted(name: string): string
  /** The caller's own name for a name that was sent. */
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
      // Another tool may have this name; that name is valid and is kept.
      while (taken.has(short)) short = shortened(short + name, charactersMax)
      taken.add(short)
      made.set(name, short)
      originals.set(short, name)
      return short
    },
    original: (name) => originals.get(name) ?? name,
  }
}

/** A name that every target accepts: a letter first, then only letters, digits, `_` and `-`. */
function shortened(name: string, charactersMax: number): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?![a-zA-Z])/, 't')
  const mark = hash('sha256', name, 'hex').slice(0, hashCharacters)
  return `${plain.slice(0, charactersMax - hashCharacters - 1)}_${mark}`
}
