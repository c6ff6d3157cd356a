import type { ClaudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'

/** The greatest limit of the output that is known to be accepted. */
export function outputMax(
  { maxTokens }: Pick<ClaudeModel, 'maxTokens'>,
  { outputTokensMax }: Pick<CodecContext, 'outputTokensMax'>,
): number {
  return Math.min(maxTokens, outputTokensMax ?? maxTokens)
}

/**
 * The limit for the output. Thinking counts as output, so a limit that the thinking budget would use up is raised by the
 * budget, and this is reported.
 */
export function outputLimit(
  asked: number,
  budget: number,
  { model, context }: { readonly model: ClaudeModel; readonly context: CodecContext },
): number {
  if (budget < asked) return asked
  context.leftOut('max_completion_tokens', 'thinking takes more than that')
  return Math.max(budget + 1, Math.min(outputMax(model, context), budget + asked))
}

/** The least limit of the output that is known to be rejected as too great, less one. */
export function certainMax({ isAssumed, maxTokens }: ClaudeModel, context: CodecContext): number {
  return context.outputTokensMax ?? (isAssumed === true ? Number.POSITIVE_INFINITY : maxTokens)
}
