const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const hexadecimal = '0123456789abcdef'

/** As a tokenizer cuts English text: mostly short words with their space, some punctuation, and a few that JSON escapes. */
const words =
  ' the| a| of| and| to| in| is| that| for| with| as| on| are| by| be| or| it| an| from| at| model| request| stream| value| system| example| because| results| language| different| between| number| small| larger| process| should| which| their| would| first| time| cost| measure| answer| question| given| however| therefore| simple| point|,|.|:| –|ing|ed|s|er|**|\n\n|\n- |1|2|0| "|"| é'.split(
    '|',
  )

/** Values that look random and are the same for the same seed (mulberry32). */
export class Seeded {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return min + (((mixed ^ (mixed >>> 14)) >>> 0) % (max - min + 1))
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.between(0, items.length - 1)] ?? items[0]
  }

  letters(count: number, alphabet = letters): string {
    let text = ''
    while (text.length < count) text += alphabet[this.between(0, alphabet.length - 1)]
    return text
  }

  hex(count: number): string {
    return this.letters(count, hexadecimal)
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((count) => this.hex(count)).join('-')
  }

  /** Text of so many tokens. */
  text(tokens: number): string {
    let text = ''
    for (let count = 0; count < tokens; count += 1)
      text += words[this.between(0, words.length - 1)] ?? ''
    return text
  }

  /** Pieces of a text, each of `min` to `max` tokens. */
  pieces(count: number, min = 1, max = min): readonly string[] {
    return Array.from({ length: count }, () => this.text(this.between(min, max)))
  }
}

/** Arguments of a tool call as a model writes them, and cut into their tokens. */
export function toolArguments(random: Seeded, tokens: number): readonly string[] {
  const amount = random.between(100, 99_999)
  const rest = tokens - 8
  return [
    '{"',
    'amount',
    '":',
    String(amount),
    ',"',
    'note',
    '":"',
    ...random.pieces(rest).map((piece) => JSON.stringify(piece).slice(1, -1)),
    '"}',
  ]
}
