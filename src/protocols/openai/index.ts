import type { Protocol } from '../protocol.ts'
import { openaiChat } from './chat.ts'
import { models } from './models.ts'
import { nativeChat, nativeComplete } from './native.ts'
import { readFailure } from './upstream-error.ts'

/** OpenAI's API, relative to a base URL that ends in /v1 (https://platform.openai.com/docs/api-reference). */
export const openai: Protocol = {
  id: 'openai',
  codecs: { chat: openaiChat() },
  native: { chat: nativeChat, complete: nativeComplete },
  failure: readFailure,
  models,
}
