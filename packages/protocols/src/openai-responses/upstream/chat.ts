import type { Codec } from '../../protocol.ts'
import { usualNames } from '../../tools/tool-names.ts'
import { noStops } from '../../stops/stop-rule.ts'
import { withChatStops } from '../../stops/with-stop-rule.ts'
import { withToolRule } from '../../tools/with-tool-rule.ts'
import { wholeCalls } from '../../whole-calls.ts'
import { decodeResponse } from './chat-reply.ts'
import { responsesBody } from './chat-request.ts'
import { createChatReader } from './chat-stream.ts'
import { createChatWatcher } from './watcher.ts'

/**
 * Chat completions through the Responses API (https://platform.openai.com/docs/api-reference/responses), for upstreams and
 * models that offer only this API. Messages become input items, and output items become one message.
 */
export function responsesChat(): Codec<'chat'> {
  const codec = withToolRule(
    {
      encode: (request, context) => ({
        method: 'POST',
        path: '/responses',
        body: { kind: 'json', value: responsesBody(request, context) },
      }),
      decode: decodeResponse,
      singleChoice: true,
      stream: { reader: wholeCalls(createChatReader), watcher: createChatWatcher },
    },
    { ...usualNames, takesCustom: () => true },
  )
  return withChatStops(codec, () => noStops)
}
