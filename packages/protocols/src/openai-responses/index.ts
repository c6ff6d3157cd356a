import { openai } from '../openai/index.ts'
import type { Protocol } from '../protocol.ts'
import { responsesChat } from './upstream/chat.ts'
import { namedInInput } from './upstream/named.ts'

/** OpenAI's API with chat completions through POST /responses. All other operations are those of the OpenAI protocol. */
export const openaiResponses: Protocol = {
  ...openai,
  id: 'openai-responses',
  codecs: { ...openai.codecs, chat: responsesChat() },
  native: withoutChat(openai.native),
  named: namedInInput,
}

/** Here, the codec translates a chat request. */
function withoutChat({ chat: _, ...rest }: Protocol['native']): Protocol['native'] {
  return rest
}
