import type { Protocol } from '../protocol.ts'
import { chat } from './chat.ts'
import { embed } from './embed.ts'
import { failure } from './failure.ts'
import { rerank } from './rerank.ts'

/** Amazon Bedrock: Converse for chat, InvokeModel with the makers' own bodies for the rest. */
export const bedrock: Protocol = {
  id: 'bedrock',
  codecs: { chat, embed, rerank },
  native: {},
  failure,
  requestIdHeader: 'x-amzn-requestid',
}
