import { type ChoiceLogprobs, listOf, objectOf, textOf } from '@sluice/contract'

/**
 * Cohere gives a piece of text with the logprobs of its tokens. A piece becomes one entry, whose logprob is the sum over its
 * tokens.
 */
export function readLogprobs(value: unknown): ChoiceLogprobs | null {
  const items = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
  if (items.length === 0) return null
  return {
    content: items.map((item) => {
      const fields = objectOf(item)
      const token = textOf(fields['text'])
      const numbers = listOf(fields['logprobs']).filter((entry) => typeof entry === 'number')
      return {
        token,
        logprob: numbers.reduce((sum, entry) => sum + entry, 0),
        bytes: [...Buffer.from(token)],
        top_logprobs: [],
      }
    }),
    refusal: null,
  }
}
