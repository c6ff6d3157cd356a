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
  const head = {
    id: context.newId('chatcmpl-'),
    object: 'chat.completion.chunk',
    created: Math.floor(context.now() / 1000),
    model: context.publicModel,
  } as const
  let hasRole = false
  let hasText = false
  let calls = 0

  /** Notes on each thinking block what text and calls stand before it, because Gemini signs what stood before. */
  function inPlace(delta: ChatDelta): ChatDelta {
    const { content, tool_calls: pieces, thinking_blocks: blocks } = delta
    const before = { hasText, calls }
    if (content) hasText = true
    for (const { index } of pieces ?? []) calls = Math.max(calls, index + 1)
    if (blocks == null) return delta
    const own = blocks.map((block) => (block.type === 'thought' ? block : placed(block, before)))
    return { ...delta, thinking_blocks: own }
  }

  function step(choice: Omit<ChatChunk['choices'][number], 'index'>): Step<ChatChunk> {
    return { event: { ...head, choices: [{ index: 0, ...choice }], system_fingerprint: null } }
  }

  function begin(): readonly Step<ChatChunk>[] {
    if (hasRole) return []
    hasRole = true
    return [
      step({ delta: { role: 'assistant', content: '' }, finish_reason: null, logprobs: null }),
    ]
  }

  return {
    delta: (delta, logprobs = null) => [
      ...begin(),
      step({ delta: inPlace(delta), finish_reason: null, logprobs }),
    ],
    finish: (reason, extra = {}) => [
      ...begin(),
      step({ delta: {}, finish_reason: reason, logprobs: null, ...extra }),
    ],
  }
}
