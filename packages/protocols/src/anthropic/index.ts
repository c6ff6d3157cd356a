import { countOf, isObject, listOf, objectOf, someText } from '@sluice/contract'
import { claudeOutputMax } from '../families/claude.ts'
import type { ModelList, Protocol } from '../protocol.ts'
import { chat } from './upstream/chat.ts'
import { readFailure } from './upstream/failure.ts'
import { namedInMessages } from './upstream/named.ts'
import { nativeCountTokens, nativeMessages } from './upstream/native.ts'

/** `GET /v1/models` with the largest page size (Models API reference). */
const models: ModelList = {
  path: '/v1/models?limit=1000',
  decode: (body) =>
    listOf(objectOf(body)['data'])
      .filter(isObject)
      .flatMap((model) => {
        const id = someText(model['id'])
        if (id === undefined || model['lifecycle'] === 'retired') return []
        const input = countOf(model['max_input_tokens'])
        const output = countOf(model['max_tokens'])
        const name = someText(model['display_name'])
        return [
          {
            id,
            ...(input ? { inputTokenLimit: input } : {}),
            ...(output ? { outputTokenLimit: output } : {}),
            ...(name === undefined ? {} : { displayName: name }),
          },
        ]
      }),
}

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
