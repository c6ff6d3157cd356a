import type { ChatRequest } from '@sluice/contract'
import type { ClaudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'

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
  return Math.max(budget + 1, Math.min(model.maxTokens, budget + asked))
}

/** The sequences at which Claude stops. It does not support sequences that consist only of white space. */
export function stopSequences({ stop }: ChatRequest, context: CodecContext): readonly string[] {
  return (stop ?? []).filter((word, index) => {
    const blank = word.trim() === ''
    if (blank && word !== '')
      context.unsupported(`stop[${index}]`, 'Claude does not stop at white space')
    return !blank
  })
}
