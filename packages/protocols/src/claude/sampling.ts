import type { ChatRequest } from '@sluice/contract'
import { asksFor, lackField } from '../decisions.ts'
import type { ClaudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'
import { type Thinking, thinks } from './thinking.ts'

/** What decides how a Claude model may be sampled. */
export interface ClaudeCall {
  readonly context: CodecContext
  readonly model: ClaudeModel
  readonly thinking: Thinking
}

type Sampling = Pick<ChatRequest, 'temperature' | 'top_p' | 'top_k'>

/** Claude ends at temperature 1, wants 1 while it thinks, and its newest models take only the defaults. */
export function claudeSampling(request: ChatRequest, call: ClaudeCall): Sampling {
  const { context, model, thinking } = call
  const { temperature, top_p: topP, top_k: topK } = request
  const isThinking = thinks(thinking)
  const fixed = model.sampling === 'none' || isThinking
  const asked = (field: keyof Sampling, reason: string | undefined): boolean => {
    if (!asksFor(request, field)) return false
    if (reason === undefined) return true
    lackField(field, request[field], context, reason)
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
