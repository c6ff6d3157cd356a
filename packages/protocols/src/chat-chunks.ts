import type { ChatChunk, ChatDelta, ChoiceLogprobs, FinishReason, Step } from '@sluice/contract'
import { placed } from './interleaved.ts'
import type { CodecContext } from './protocol.ts'

/** Makes the canonical chunks of one stream: the same id, time and model in each, and the role first. */
export interface ChatChunks {
  /** A part of the response. The role is sent before the first one. */
  delta(delta: ChatDelta, logprobs?: ChoiceLogprobs | null): readonly Step<ChatChunk>[]
  finish(
    reason: FinishReason,
    extra?: { readonly stop_sequence?: string },
  ): readonly Step<ChatChunk>[]
}

/** For upstreams that give a single choice, which is choice 0. */
export function createChatChunks(
  context: Pick<CodecContext, 'newId' | 'now' | 'publicModel'>,
): ChatChunks {
  const id = context.newId('chatcmpl-')
  const created = Math.floor(context.now() / 1000)
  const { publicModel: model } = context
  let hasRole = false
  let hasText = false
  let calls = 0

  /** Notes on each thinking block what text and calls stand before it, because Gemini signs what stood before. */
  function inPlace(delta: ChatDelta): ChatDelta {
    const { content, tool_calls: pieces, thinking_blocks: blocks } = delta
    const before = { hasText, calls }
    if (content) hasText = true
    if (pieces) for (const { index } of pieces) calls = Math.max(calls, index + 1)
    if (blocks == null) return delta
    const own = blocks.map((block) => (block.type === 'thought' ? block : placed(block, before)))
    return { ...delta, thinking_blocks: own }
  }

  function step(choice: ChatChunk['choices'][number]): Step<ChatChunk> {
    const object = 'chat.completion.chunk'
    return { event: { id, object, created, model, choices: [choice], system_fingerprint: null } }
  }

  /** The role comes before the first step. */
  function told(choice: ChatChunk['choices'][number]): readonly Step<ChatChunk>[] {
    if (hasRole) return [step(choice)]
    hasRole = true
    const delta = { role: 'assistant', content: '' } as const
    return [step({ index: 0, delta, finish_reason: null, logprobs: null }), step(choice)]
  }

  return {
    delta: (delta, logprobs = null) =>
      told({ index: 0, delta: inPlace(delta), finish_reason: null, logprobs }),
    finish: (reason, extra) =>
      told({ index: 0, delta: {}, finish_reason: reason, logprobs: null, ...extra }),
  }
}

export type PieceField = 'content' | 'reasoning_content'

/**
 * The piece of text or reasoning in a chunk that holds nothing else, as most chunks of a stream with one choice do. Undefined
 * for every other chunk, and for an empty piece.
 */
export function pieceIn({ choices }: ChatChunk, field: PieceField): string | undefined {
  const choice = choices.length === 1 ? choices[0] : undefined
  if (choice?.index !== 0 || choice.finish_reason !== null || choice.logprobs != null)
    return undefined
  const { delta } = choice
  for (const name in delta) if (name !== field) return undefined
  return delta[field] || undefined
}
