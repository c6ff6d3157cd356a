import { claudeOutputMax } from '../families/claude.ts'
import type { Protocol } from '../protocol.ts'
import { chat } from './chat.ts'
import { embed } from './embed.ts'
import { failure } from './failure.ts'
import { namedInConverse } from './named.ts'
import { rerank } from './rerank.ts'

/** Amazon Bedrock: Converse for chat, InvokeModel with the vendors' own bodies for everything else. */
export const bedrock: Protocol = {
  id: 'bedrock',
  codecs: { chat, embed, rerank },
  native: {},
  failure,
  outputTokensMax: claudeOutputMax,
  named: namedInConverse,
  requestIdHeader: 'x-amzn-requestid',
}
