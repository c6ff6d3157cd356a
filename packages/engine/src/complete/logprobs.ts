import type { CompleteReply } from '@sluice/contract'
import type { ChosenToken } from '../chat/sampling/logprobs.ts'

type CompletionLogprobs = NonNullable<CompleteReply['choices'][number]['logprobs']>

export interface LogprobOptions {
  /** How many alternatives are shown for each token. */
  readonly top: number
  /** Characters of the choice's text before these tokens. */
  readonly offset: number
  /** Whether these tokens begin with a prompt, whose first token nothing foretold. */
  readonly first: boolean
}

/** Logprobs as completions show them; offsets count from the beginning of the choice's text. */
export function completionLogprobs(
  tokens: readonly ChosenToken[],
  { top, offset, first }: LogprobOptions,
): CompletionLogprobs {
  const texts = tokens.map((chosen) => chosen.token)
  const isForetold = (index: number): boolean => !first || index > 0
  let at = offset
  return {
    tokens: texts,
    token_logprobs: tokens.map(({ logprob }, index) => (isForetold(index) ? logprob : null)),
    top_logprobs:
      top === 0
        ? null
        : tokens.map((chosen, index) => (isForetold(index) ? alternativesOf(chosen, top) : null)),
    text_offset: texts.map((text) => {
      at += text.length
      return at - text.length
    }),
  }
}

/** The likeliest tokens, and the chosen one if it is not among them (OpenAI API, completions). */
function alternativesOf(
  { token, logprob, alternatives }: ChosenToken,
  top: number,
): Record<string, number> {
  const shown = alternatives.slice(0, top).map((other) => [other.token, other.logprob] as const)
  return Object.fromEntries(
    shown.some(([other]) => other === token) ? shown : [...shown, [token, logprob] as const],
  )
}
