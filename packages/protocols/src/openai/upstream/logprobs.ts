import { type ChoiceLogprobs, type Fields, isObject, listOf, textOf } from '@sluice/contract'

/** Logprobs in OpenAI's form; null for any other form, and if they contain no token. */
export function logprobsOf(value: unknown): ChoiceLogprobs | null {
  if (!isObject(value)) return null
  const content = value['content']
  const refusal = value['refusal']
  if (listOf(content).length === 0 && listOf(refusal).length === 0) return null
  return { content: tokensOf(content), refusal: tokensOf(refusal) }
}

function tokensOf(value: unknown): ChoiceLogprobs['content'] {
  if (!Array.isArray(value)) return null
  return value.filter(isObject).map((token) => ({
    ...tokenOf(token),
    top_logprobs: listOf(token['top_logprobs']).filter(isObject).map(tokenOf),
  }))
}

function tokenOf(token: Fields): { token: string; logprob: number; bytes: number[] | null } {
  const { logprob, bytes } = token
  return {
    token: textOf(token['token']),
    logprob: typeof logprob === 'number' ? logprob : 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : null,
  }
}
