import { expect } from 'vitest'
import { codecContext, received } from '../../../../test/support/codec-context.ts'
import { recording, testRecording } from '../../../../test/support/formats/recordings.ts'
import { providers } from '../../../gateway/src/providers/index.ts'

testRecording('reranking', () => {
  const { reply, usage } = providers
    .get('togetherai')!
    .protocol.codecs.rerank!.decode(
      received(recording('togetherai/togetherai-reranking.1.json')),
      codecContext(),
      { model: 'm', query: 'q', documents: ['a', 'b', 'c', 'd', 'e', 'f'] },
    )
  expect(reply.id).toBe('oGs6Zt9-62bZhn-99529372487b1b0a')
  expect(reply.results).toEqual([
    { index: 0, relevance_score: 0.6475887154399037, document: { text: 'a' } },
    { index: 5, relevance_score: 0.6323295373206566, document: { text: 'f' } },
  ])
  expect(reply.usage).toEqual({ prompt_tokens: 2966, total_tokens: 2966 })
  expect(usage).toEqual({ inputTokens: 2966, outputTokens: 0 })
})
