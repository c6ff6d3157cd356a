import type { ChatRequest, Fields, Message, ThinkingBlock } from '@sluice/contract'
import type { Reports } from './native-target.ts'

/** What a target gets of the reasoning in a conversation's history. */
export interface KeptReasoning {
  /** Whether it gets the text of a message's reasoning. */
  readonly text: (message: Message) => boolean
  /** Whether it gets a block of a message, with its text. */
  readonly block: (block: ThinkingBlock, message: Message) => boolean
  /** Whether it gets what a provider attached to a call, such as its signature. */
  readonly attached: (extra: Fields) => boolean
}

/** For targets that get none. */
export const noReasoning: KeptReasoning = {
  text: () => false,
  block: () => false,
  attached: () => false,
}

/** Reports each kind of reasoning that is not sent, once per request: at its first place. */
export function reportLostReasoning(
  { messages }: Pick<ChatRequest, 'messages'>,
  kept: KeptReasoning,
  { leftOut }: Pick<Reports, 'leftOut'>,
): void {
  let text: string | undefined
  let block: string | undefined
  let signature: string | undefined
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue
    const { reasoning_content: said, thinking_blocks: blocks, tool_calls: calls } = message
    // Most messages have none.
    if (said == null && blocks == null && calls == null) continue
    const path = `messages[${index}]`
    const lost = (blocks ?? []).filter((one) => !kept.block(one, message))
    const isSaid = said != null && said !== ''
    if (isSaid && lost.length === (blocks ?? []).length && !kept.text(message))
      text ??= `${path}.reasoning_content`
    if (lost.length > 0 && !isOnlyText(lost, isSaid)) block ??= `${path}.thinking_blocks`
    const at = (calls ?? []).findIndex(
      ({ extra_content: extra }) => extra != null && !kept.attached(extra),
    )
    if (at >= 0) signature ??= `${path}.tool_calls[${at}].extra_content`
  }
  for (const path of [text, block, signature]) if (path !== undefined) leftOut(path)
}

/** Blocks without anything but the text that the message says beside them. */
function isOnlyText(blocks: readonly ThinkingBlock[], isSaid: boolean): boolean {
  return (
    isSaid &&
    blocks.every(
      ({ signature, data, encrypted_content: encrypted }) =>
        !signature && data === undefined && !encrypted,
    )
  )
}
