import type { CompleteReply } from '@sluice/contract'
import type { ChosenToken } from '../chat/sampling/logprobs.ts'

type CompletionLogprobs = NonNullable<CompleteReply['choices'][number]['logprobs']>

/**
 * Logprobs as completions show them, with up to `top` alternatives. `offset` is how much of the choice's text stands
 * before; the first token of an echoed prompt is one that nothing foretold.
 */
export function completionLogprobs(
  tokens: readonly ChosenToken[],
  {
    top,
    offset,
    isEchoed,
  }: { readonly top: number; readonly offset: number; readonly isEchoed: boolean },
): CompletionLogprobs {
  const texts = tokens.map((chosen) => chosen.token)
  const first = isEchoed ? 1 : 0
  let at = offset
  return {
    tokens: texts,
    token_logprobs: tokens.map(({ logprob }, index) => (index >= first ? logprob : null)),
    top_logprobs:
      top === 0
        ? null
        : tokens.map((chosen, index) => (index >= first ? alternativesOf(chosen, top) : null)),
    text_offset: texts.map((text) => {
      at += text.length
      return at - text.length
    }),
  }
}

/** So many tokens of a prompt are told in one piece. */
export const tokensPerPiece = 1_000

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
