import type { Message } from '@sluice/contract'
import type { CodecContext } from './protocol.ts'

/**
 * Reports that a model does not continue the message that the conversation ends with. It writes a new message after it, as
 * OpenAI's models always do.
 */
export function reportUnsupportedPrefill(
  messages: readonly Message[],
  { leftOut }: Pick<CodecContext, 'leftOut'>,
): void {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  leftOut(
    `messages[${last}]`,
    'This model answers behind a last message and does not go on with it',
  )
}
