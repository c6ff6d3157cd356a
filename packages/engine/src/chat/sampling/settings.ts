import type { ChatRequest } from '@sluice/contract'
import { decodeTokenId } from '../../tokens.ts'

/** What a request says about how one answer is chosen among several. */
export interface SamplingSettings {
  /** 0 takes the best. */
  readonly temperature: number
  readonly topP: number
  readonly presencePenalty: number
  readonly frequencyPenalty: number
  readonly bias: readonly Bias[]
}

/** Weight added to a token; `text` is what the token id of the request stands for. */
export interface Bias {
  readonly text: string
  readonly weight: number
}

type SamplingFields = Pick<
  ChatRequest,
  'temperature' | 'top_p' | 'presence_penalty' | 'frequency_penalty' | 'logit_bias'
>

const biasesMax = 1024

/** Reads the sampling fields of a request. Token ids that stand for nothing bias nothing. */
export async function readSampling(fields: SamplingFields): Promise<SamplingSettings> {
  const bias: Bias[] = []
  for (const [id, weight] of Object.entries(fields.logit_bias ?? {}).slice(0, biasesMax)) {
    const text = /^\d{1,7}$/.test(id) ? await decodeTokenId(Number(id)) : id
    if (text !== undefined && text.trim() !== '' && weight !== 0) bias.push({ text, weight })
  }
  return {
    temperature: fields.temperature ?? 1,
    topP: fields.top_p ?? 1,
    presencePenalty: fields.presence_penalty ?? 0,
    frequencyPenalty: fields.frequency_penalty ?? 0,
    bias,
  }
}

/**
 * The bias of one of the engine's tokens. Theirs and ours are cut differently: a short token of theirs means the very
 * token, a longer one any token that holds it.
 */
export function biasOf(token: string, bias: readonly Bias[]): number {
  let sum = 0
  const bare = token.trim()
  for (const { text, weight } of bias) {
    const wanted = text.trim()
    if (bare === wanted || (wanted.length > 2 && bare.includes(wanted))) sum += weight
  }
  return sum
}
