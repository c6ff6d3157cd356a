import type { Message } from '@sluice/contract'
import type { CodecContext } from './protocol.ts'

/**
 * Says that a model does not go on with the message that the conversation ends with: it answers behind it, as OpenAI's
 * models always do.
 */
export function lackPrefill(
  messages: readonly Message[],
  { leftOut }: Pick<CodecContext, 'leftOut'>,
): void {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  leftOut(
    `messages[${last}]`,
    'This model answers behind a last message and does not go on with it',
  )
}
