import { type PathOf, usualPath } from '../../openai/upstream/options.ts'
import type { Codec } from '../../protocol.ts'
import { decodeResponse } from './chat-reply.ts'
import { responsesBody } from './chat-request.ts'
import { createChatReader } from './chat-stream.ts'
import { createChatWatcher } from './watcher.ts'

/**
 * Chat over the Responses API (https://platform.openai.com/docs/api-reference/responses), for upstreams and models
 * that offer only this: messages become input items, output items become one message.
 */
export function responsesChat({
  path = usualPath,
}: {
  readonly path?: PathOf
} = {}): Codec<'chat'> {
  return {
    encode: (request, context) => ({
      method: 'POST',
      path: path('/responses', context),
      body: { kind: 'json', value: responsesBody(request, context) },
    }),
    decode: decodeResponse,
    singleChoice: true,
    stream: { reader: createChatReader, watcher: createChatWatcher },
  }
}
