import { claudeOutputMax } from '../families/claude.ts'
import type { Protocol } from '../protocol.ts'
import { chat } from './upstream/chat.ts'
import { readFailure } from './upstream/failure.ts'
import { models } from './upstream/models.ts'
import { namedInMessages } from './upstream/named.ts'
import { nativeCountTokens, nativeMessages } from './upstream/native.ts'

/**
 * Anthropic's API, relative to a base URL without /v1 (https://platform.claude.com/docs/en/api/overview). Providers send
 * `anthropic-version: 2023-06-01` with every request.
 */
export const anthropic: Protocol = {
  id: 'anthropic',
  codecs: { chat },
  native: { messages: nativeMessages, messagesCountTokens: nativeCountTokens },
  failure: readFailure,
  outputTokensMax: claudeOutputMax,
  named: namedInMessages,
  models,
}
