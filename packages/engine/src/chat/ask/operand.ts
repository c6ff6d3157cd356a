import { quotedOf } from '../text/spans.ts'
import type { Ask } from './ask.ts'

const backReference =
  /\b(?:above|previous|earlier|last (?:message|answer|reply|response)|that|it|this|these|those|the (?:text|document|file|article|passage|list|conversation|email|letter|report|note|transcript|results?))\b/i

/**
 * The text that a command works on: a quotation in it, the passage next to it, what follows the command's own words, or what
 * it refers to. `command` matches the words of the command itself, which do not belong to the text.
 */
export function operandOf(ask: Ask, command: RegExp): string | undefined {
  const quoted = quotedOf(ask.instruction)[0]
  if (quoted !== undefined) return quoted.text
  if (ask.passage !== '') return ask.passage
  const rest = afterCommand(ask.instruction, command)
  if (rest !== undefined && !isOnlyReference(rest)) return rest
  return rest === undefined ? earlierText(ask) : pointedText(ask)
}

/** The text that the request refers to ("that", "the text above"); undefined if it refers to nothing. */
export function pointedText(ask: Ask): string | undefined {
  return backReference.test(ask.instruction) ? earlierText(ask) : undefined
}

function afterCommand(instruction: string, command: RegExp): string | undefined {
  const match = command.exec(instruction)
  if (match === null) return undefined
  const rest = instruction
    .slice(match.index + match[0].length)
    .replace(
      /^[\s:,-]{0,8}(?:(?:the |this |these |following |given |my |all |of |in |for |a )*(?:text|words?|sentences?|strings?|phrases?|lists?|items?|names?|numbers?|letters?|characters?|paragraph)\b[\s:,]{0,8}(?:of |in |from )?)?/i,
      '',
    )
    .replace(/[\s?.!]{1,8}$/, '')
    .trim()
  return rest === '' ? undefined : rest
}

function isOnlyReference(rest: string): boolean {
  return (
    rest.length < 60 &&
    /^(?:(?:the|this|that|it|these|those|them|above|previous|earlier|following|text|document|file|article|passage|list|conversation|message|messages|my|your|last|answer|reply|for|me|please|attached|given|email|report|transcript|in|of|to|story|note|notes|results?|content|contents|whole|entire)[\s,.]*)+$/i.test(
      rest,
    )
  )
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
