import type { Ask } from './ask.ts'

const backReference =
  /\b(?:above|previous|earlier|last (?:message|answer|reply|response)|that|it|this|these|those|the (?:text|document|file|article|passage|list|conversation|email|letter|report|note|transcript|results?))\b/i

/** The text that the request refers to ("that", "the text above"); undefined if it refers to nothing. */
export function pointedText(ask: Ask): string | undefined {
  return backReference.test(ask.instruction) ? earlierText(ask) : undefined
}

/** Texts of at most this length, such as "Done." or "Thank you!", are not texts to work on. */
const wordMax = 20

/** The most likely earlier text to work on: one that came with this turn, then the longest one before. */
export function earlierText({ sources, instruction }: Ask): string | undefined {
  const past = sources.filter(({ current, origin }) => !current && origin !== 'system')
  const attached = longest(sources.filter(({ current }) => current))
  const isLast = /\b(?:last|previous|that|it)\b/i.test(instruction)
  return (
    attached ??
    (isLast ? past.findLast(({ text }) => text.length > wordMax)?.text : undefined) ??
    longest(past) ??
    longest(sources)
  )
}

function longest(sources: Ask['sources']): string | undefined {
  return sources.toSorted((left, right) => right.text.length - left.text.length)[0]?.text
}
