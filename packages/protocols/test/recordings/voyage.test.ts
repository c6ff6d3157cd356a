import { expect } from 'vitest'
import { codecContext, received } from '../../../../test/support/codec-context.ts'
import { recording, testRecording } from '../../../../test/support/formats/recordings.ts'
import { voyage } from '../../src/jina/index.ts'

testRecording('embeddings', () => {
  const { reply, usage } = voyage.codecs.embed!.decode(
    received(recording('voyage/voyage-embedding.json')),
    codecContext(),
    { model: 'm', input: ['a', 'b'] },
  )
  expect(reply.data.map(({ index }) => index)).toEqual([0, 1])
  expect(reply.data[0]?.embedding).toEqual([
    0.000344163, -0.022529466, 0.010127448, 0.063431956, 0.016145896,
  ])
  expect(reply.usage).toEqual({ prompt_tokens: 12, total_tokens: 12 })
  expect(usage).toEqual({ inputTokens: 12, outputTokens: 0 })
})

testRecording('reranking', () => {
  const { reply, usage } = voyage.codecs.rerank!.decode(
    received(recording('voyage/voyage-reranking.1.json')),
    codecContext(),
    { model: 'm', query: 'q', documents: ['a', 'b'] },
  )
  expect(reply.results).toEqual([
    { index: 1, relevance_score: 0.5703125, document: { text: 'b' } },
    { index: 0, relevance_score: 0.255859375, document: { text: 'a' } },
  ])
  expect(usage).toEqual({ inputTokens: 12, outputTokens: 0 })
})
