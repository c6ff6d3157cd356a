/** Where an answer ends. */
export interface Limits {
  readonly tokensMax: number
  /** Sequences that end the answer; they are not part of it. */
  readonly stops: readonly string[]
}

export interface Cut {
  /** How many whole tokens stay. */
  readonly tokens: number
  /** What stays of the token after them; '' where the answer ends between tokens. */
  readonly rest: string
  readonly finish: 'stop' | 'length'
}

/**
 * Ends an answer at the first stop sequence or after the last token allowed, whichever token comes first. A sequence
 * that the limit cuts in two does not stop the answer.
 */
export function cutTokens(tokens: readonly string[], { tokensMax, stops }: Limits): Cut {
  const text = tokens.join('')
  const found = stops.flatMap((stop) => {
    const start = stop === '' ? -1 : text.indexOf(stop)
    return start < 0 ? [] : [{ start, end: start + stop.length }]
  })
  const first = found.reduce<{ start: number; end: number } | undefined>(
    (best, place) => (best === undefined || place.end < best.end ? place : best),
    undefined,
  )
  if (first !== undefined) {
    const needed = tokensUpTo(tokens, first.end)
    if (needed.whole + (needed.inside > 0 ? 1 : 0) <= tokensMax) {
      const kept = tokensUpTo(tokens, first.start)
      return {
        tokens: kept.whole,
        rest: (tokens[kept.whole] ?? '').slice(0, kept.inside),
        finish: 'stop',
      }
    }
  }
  if (tokens.length > tokensMax) return { tokens: tokensMax, rest: '', finish: 'length' }
  return { tokens: tokens.length, rest: '', finish: 'stop' }
}

function tokensUpTo(
  tokens: readonly string[],
  position: number,
): { readonly whole: number; readonly inside: number } {
  let at = 0
  for (const [index, token] of tokens.entries()) {
    if (at + token.length > position) return { whole: index, inside: position - at }
    at += token.length
  }
  return { whole: tokens.length, inside: 0 }
}

/** The stop sequences of a request that can be found. */
export function stopsOf(stop: readonly string[] | null | undefined): readonly string[] {
  return (stop ?? []).filter((sequence) => sequence !== '')
}
