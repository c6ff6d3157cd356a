import { openai } from '../openai/index.ts'
import type { Protocol } from '../protocol.ts'
import { responsesChat } from './upstream/chat.ts'
import { namedInInput } from './upstream/named.ts'
import { nativeCompact, nativeResponses, withNamedIds } from './upstream/native.ts'

/** A chat request is translated. */
const { chat: _, ...native } = openai.native

/** OpenAI's API with chat completions through POST /responses. All other operations are those of the OpenAI protocol. */
export const openaiResponses: Protocol = {
  ...openai,
  id: 'openai-responses',
  codecs: { ...openai.codecs, chat: responsesChat() },
  native: {
    ...native,
    responses: withNamedIds(nativeResponses),
    responsesCompact: withNamedIds(nativeCompact),
  },
  named: namedInInput,
}
