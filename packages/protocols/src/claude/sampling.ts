import { type ChatRequest, objectOf } from '@sluice/contract'
import { asksFor } from '../decisions.ts'
import { reportUnsupported } from '../report-unsupported.ts'
import type { ClaudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'
import { type Thinking, thinks } from './thinking.ts'

/** What decides which sampling parameters a Claude model accepts. */
export interface ClaudeCall {
  readonly context: CodecContext
  readonly model: ClaudeModel
  readonly thinking: Thinking
}

type Reports = Pick<CodecContext, 'unsupported' | 'leftOut'>

type Sampling = Pick<ChatRequest, 'temperature' | 'top_p' | 'top_k'>

/** Claude's temperature ends at 1 and must be 1 while it thinks; its newest models accept only the default values. */
export function claudeSampling(
  request: Sampling,
  call: Omit<ClaudeCall, 'context'> & { readonly context: Reports },
): Sampling {
  const { context, model, thinking } = call
  const { temperature, top_p: topP, top_k: topK } = request
  const isThinking = thinks(thinking)
  const fixed = model.sampling === 'none' || isThinking
  const asked = (field: keyof Sampling, reason: string | undefined): boolean => {
    if (!asksFor(request, field)) return false
    if (reason === undefined) return true
    reportUnsupported(field, request[field], context, reason)
    return false
  }
  const onlyDefault = 'this model takes only the default here'
  const tooHot = temperature != null && temperature > 1 ? 'Claude takes 0 to 1' : undefined
  const hasTemperature = asked('temperature', tooHot ?? (fixed ? onlyDefault : undefined))
  const nucleus = model.sampling !== 'none' && (!isThinking || (topP ?? 1) >= 0.95)
  const oneOnly = model.sampling === 'one' && hasTemperature
  const hasTopP = asked('top_p', nucleus && !oneOnly ? undefined : onlyDefault)
  return {
    ...(hasTemperature ? { temperature } : {}),
    ...(hasTopP ? { top_p: topP } : {}),
    ...(asked('top_k', fixed ? onlyDefault : undefined) ? { top_k: topK } : {}),
  }
}

/**
 * The sampling parameters of a Messages request that the Claude model rejects; the newest models reject all of them (Claude
 * docs, migration guides).
 */
export function refusedSampling(request: unknown, model: ClaudeModel): readonly string[] {
  const asked = objectOf(request) as Sampling
  if (asked.temperature == null && asked.top_p == null && asked.top_k == null) return []
  const refused: string[] = []
  const report = (field: string): void => void refused.push(field)
  const context = { leftOut: report, unsupported: report }
  const thinking = objectOf(request) as Thinking
  const { top_p: kept } = claudeSampling(asked, { context, model, thinking })
  // The model rejects both together, even if one of them has the default value.
  if (model.sampling === 'one' && kept != null && asked.temperature != null) report('temperature')
  return refused
}
