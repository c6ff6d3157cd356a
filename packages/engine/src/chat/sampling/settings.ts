import type { ChatRequest } from '@sluice/contract'
import { decodeTokenId } from '../../tokens.ts'

/** How the request wants one of several wordings to be chosen. */
export interface SamplingSettings {
  /** 0 chooses the best one. */
  readonly temperature: number
  readonly topP: number
  readonly presencePenalty: number
  readonly frequencyPenalty: number
  readonly bias: readonly Bias[]
}

/** A weight added to a token. `text` is the text of the token id in the request. */
export interface Bias {
  readonly text: string
  readonly weight: number
}

type SamplingFields = Pick<
  ChatRequest,
  'temperature' | 'top_p' | 'presence_penalty' | 'frequency_penalty' | 'logit_bias'
>

const biasesMax = 1024

/** Reads the sampling fields of a request. Unknown token ids have no effect. */
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
 * The bias of one of the engine's tokens. OpenAI's tokens are cut differently: a short one means exactly this token, a longer
 * one any token that contains it.
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
