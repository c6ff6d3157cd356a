/** Where an answer ends. */
export interface Limits {
  readonly tokensMax: number
  /** Sequences that end the answer and do not belong to it. */
  readonly stops: readonly string[]
}

export interface Cut {
  /** How many whole tokens remain. */
  readonly tokens: number
  /** What remains of the token after them; '' if the answer ends between tokens. */
  readonly rest: string
  readonly finish: 'stop' | 'length'
}

/**
 * Ends an answer at the first stop sequence or after the last token allowed, whichever comes first. A sequence that the limit
 * cuts in two does not stop the answer.
 */
export function cutTokens(tokens: readonly string[], { tokensMax, stops }: Limits): Cut {
  const text = tokens.join('')
  const [first] = stops
    .map((stop) => ({ start: text.indexOf(stop), end: text.indexOf(stop) + stop.length }))
    .filter(({ start }) => start >= 0)
    .sort((left, right) => left.end - right.end)
  if (first !== undefined && tokensUpTo(tokens, first.end - 1).whole < tokensMax) {
    const { whole, inside } = tokensUpTo(tokens, first.start)
    return { tokens: whole, rest: (tokens[whole] ?? '').slice(0, inside), finish: 'stop' }
  }
  const isLong = tokens.length > tokensMax
  return {
    tokens: Math.min(tokens.length, tokensMax),
    rest: '',
    finish: isLong ? 'length' : 'stop',
  }
}

/** How many tokens end before a character, and how much of the next one comes before it. */
function tokensUpTo(
  tokens: readonly string[],
  position: number,
): { whole: number; inside: number } {
  let at = 0
  for (const [whole, token] of tokens.entries()) {
    if (at + token.length > position) return { whole, inside: position - at }
    at += token.length
  }
  return { whole: tokens.length, inside: 0 }
}

/** The remaining tokens. The last one is incomplete if the cut is within it. */
export function keptOf<T extends { readonly token: string }>(tokens: readonly T[], cut: Cut): T[] {
  const part = cut.rest === '' ? [] : tokens.slice(cut.tokens, cut.tokens + 1)
  return [...tokens.slice(0, cut.tokens), ...part.map((last) => ({ ...last, token: cut.rest }))]
}

/** The stop sequences of a request, without empty ones. */
export function stopsOf(stop: readonly string[] | null | undefined): readonly string[] {
  return (stop ?? []).filter((sequence) => sequence !== '')
}
