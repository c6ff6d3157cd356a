import { listOf, objectOf, someText } from '@sluice/contract'
import { claudeOutputMax } from '../families/claude.ts'
import type { NamedId, Protocol } from '../protocol.ts'
import { chat } from './chat.ts'
import { embed } from './embed.ts'
import { failure } from './failure.ts'
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

/** Objects in S3, which are read with the gateway's credential (Bedrock API reference, S3Location), also in tool results. */
function namedInConverse(body: unknown): readonly NamedId[] {
  return listOf(objectOf(body)['messages']).flatMap((message) =>
    namedInBlocks(objectOf(message)['content']),
  )
}

function namedInBlocks(content: unknown): readonly NamedId[] {
  return listOf(content)
    .map(objectOf)
    .flatMap(({ image, video, document, toolResult }) => {
      const sources = [image, video, document].map((media) => objectOf(objectOf(media)['source']))
      const ids = sources.map(({ s3Location }) => someText(objectOf(s3Location)['uri']))
      return [
        // The caller's messages are split and joined on their way here, so the path is that of the whole list.
        ...ids.filter((id) => id !== undefined).map((id) => ({ id, param: 'messages' })),
        ...namedInBlocks(objectOf(toolResult)['content']),
      ]
    })
}
