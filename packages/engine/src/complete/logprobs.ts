import type { CompleteReply } from '@sluice/contract'
import type { ChosenToken } from '../chat/sampling/logprobs.ts'

type CompletionLogprobs = NonNullable<CompleteReply['choices'][number]['logprobs']>

/**
 * Logprobs in the form of text completions, with up to `top` alternatives. `offset` is the length of the choice's text before.
 * The first token of an echoed prompt has no logprob, because nothing precedes it.
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

/** Number of tokens of a prompt that are sent in one piece. */
export const tokensPerPiece = 1_000

/** The most likely tokens, and the chosen one if it is not among them (OpenAI API, completions). */
function alternativesOf(
  { token, logprob, alternatives }: ChosenToken,
  top: number,
): Record<string, number> {
  const shown = alternatives.slice(0, top).map((other) => [other.token, other.logprob] as const)
  return Object.fromEntries(
    shown.some(([other]) => other === token) ? shown : [...shown, [token, logprob] as const],
  )
}
