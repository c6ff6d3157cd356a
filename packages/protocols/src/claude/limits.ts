import type { ChatRequest } from '@sluice/contract'
import type { ClaudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'

/** Thinking counts as output, so a limit that its budget would use up is raised by the budget, which is said. */
export function outputLimit(
  asked: number,
  budget: number,
  { model, context }: { readonly model: ClaudeModel; readonly context: CodecContext },
): number {
  if (budget < asked) return asked
  context.leftOut('max_completion_tokens', 'thinking takes more than that')
  return Math.max(budget + 1, Math.min(model.maxTokens, budget + asked))
}

/** The sequences at which Claude shall stop; it does not stop at white space alone. */
export function stopSequences({ stop }: ChatRequest, context: CodecContext): readonly string[] {
  return (stop ?? []).filter((word, index) => {
    const blank = word.trim() === ''
    if (blank && word !== '')
      context.unsupported(`stop[${index}]`, 'Claude does not stop at white space')
    return !blank
  })
}
