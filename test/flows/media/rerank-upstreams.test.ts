// Reranking and moderation at servers with APIs like OpenAI's: documents in the form of each, results in one form.
import { expect, test } from 'vitest'
import { type Answering, json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/single-upstream.ts'

const documents = [
  { title: 'A', text: 'alpha' },
  { title: 'B', text: 'beta' },
]
const ranked = (score: string) => [
  { index: 0, [score]: 0.1 },
  { index: 1, [score]: 0.9, document: { text: 'another' } },
]

async function inFront(type: string, answering: Answering) {
  const pair = await inFrontOf(type, answering)
  const { gateway } = pair
  return {
    ...pair,
    rerank: (fields: object = {}) =>
      gateway.post('/v1/rerank', { model: `${type}/m`, query: 'q', documents, ...fields }),
  }
}

test.each(['vllm', 'llamacpp', 'localai', 'siliconflow', 'infinity', 'xinference', 'fireworks'])(
  'sends rerank documents to %s as texts and returns the caller’s',
  async (type) => {
    const name = type === 'fireworks' ? 'data' : 'results'
    await using pair = await inFront(type, (_seen, response) =>
      json(response, { [name]: ranked('relevance_score'), usage: { total_tokens: 3 } }),
    )
    const answer = await pair.rerank()
    expect(pair.upstream.seen[0]?.body).toMatchObject({ documents: ['alpha', 'beta'] })
    expect(await answer.json()).toMatchObject({
      results: [
        { index: 1, relevance_score: 0.9, document: documents[1] },
        { index: 0, relevance_score: 0.1, document: documents[0] },
      ],
      usage: { total_tokens: 3 },
    })
    await pair.rerank({ rank_fields: ['title', 'text'] })
    const { body } = pair.upstream.seen[1] ?? {}
    expect(body).toMatchObject({ documents: ['A\nalpha', 'B\nbeta'] })
    expect(body).not.toHaveProperty('rank_fields')
  },
)

test('sends document objects and rank_fields to Together', async () => {
  await using pair = await inFront('togetherai', (_seen, response) =>
    json(response, { results: ranked('relevance_score') }),
  )
  await pair.rerank({ rank_fields: ['title'] })
  expect(pair.upstream.seen[0]?.body).toMatchObject({ documents, rank_fields: ['title'] })
})

test('uses Text Embeddings Inference’s own paths and fields', async () => {
  await using pair = await inFront('tei', (seen, response) =>
    json(
      response,
      seen.path === '/rerank'
        ? ranked('score')
        : { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1, total_tokens: 1 } },
    ),
  )
  const answer = await pair.rerank({ top_n: 1 })
  expect(await answer.json()).toMatchObject({ results: [{ index: 1, relevance_score: 0.9 }] })
  expect(pair.upstream.seen[0]?.body).toMatchObject({ query: 'q', texts: ['alpha', 'beta'] })
  await pair.gateway.post('/v1/embeddings', { model: 'tei/m', input: 'a' })
  expect(pair.upstream.seen.map(({ path }) => path)).toEqual(['/rerank', '/v1/embeddings'])
})

interface OwnForm {
  readonly type: string
  readonly path: string
  readonly sent: object
  readonly told: unknown
  readonly tokens: number
}

test.each<OwnForm>([
  {
    type: 'nvidia',
    path: '/v1/ranking',
    sent: {
      model: 'org/m.1',
      query: { text: 'q' },
      passages: [{ text: 'alpha' }, { text: 'beta' }],
    },
    told: {
      rankings: ranked('logit').toReversed(),
      usage: { prompt_tokens: 3, total_tokens: 3 },
    },
    tokens: 3,
  },
  {
    type: 'deepinfra',
    path: '/inference/org/m.1',
    sent: { queries: ['q'], documents: ['alpha', 'beta'] },
    told: { request_id: 'r', scores: [0.1, 0.9], input_tokens: 3 },
    tokens: 3,
  },
  {
    type: 'huggingface',
    path: '/hf-inference/models/org/m.1/pipeline/text-ranking',
    sent: { inputs: { query: 'q', texts: ['alpha', 'beta'] } },
    told: ranked('score'),
    tokens: 0,
  },
])('uses $type’s own rerank path and fields', async (given) => {
  const { type, path, sent, told, tokens } = given
  await using pair = await inFront(type, (_seen, response) => json(response, told))
  const asked = { model: `${type}/org/m.1`, rank_fields: ['text'] }
  const answer = await pair.rerank({ ...asked, top_n: 1 })
  expect(await answer.json()).toMatchObject({
    results: [{ index: 1, relevance_score: 0.9, document: documents[1] }],
    usage: { total_tokens: tokens },
  })
  expect(pair.upstream.seen.map((seen) => [seen.path, seen.body])).toEqual([[path, sent]])
  const refused = await pair.rerank({ ...asked, max_tokens_per_doc: 5 })
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { param: 'max_tokens_per_doc' } },
  ])
})

test('answers 502 when the number of scores differs from the number of documents', async () => {
  await using pair = await inFront('deepinfra', (_seen, response) =>
    json(response, { scores: [0.1] }),
  )
  expect((await pair.rerank()).status).toBe(502)
})

test('escapes a model name in the upstream path', async () => {
  await using pair = await inFront('deepinfra', (_seen, response) => json(response, {}))
  await pair.rerank({ model: 'deepinfra/a/../../openai/b?c' })
  expect(pair.upstream.seen[0]?.path).toBe('/inference/a/_/_/openai/b%3Fc')
})

test('answers 502 for a rerank result of an unknown document', async () => {
  await using pair = await inFront('vllm', (_seen, response) =>
    json(response, { results: [{ index: 7, relevance_score: 1 }] }),
  )
  expect((await pair.rerank()).status).toBe(502)
})

test('derives flagged from the categories of Mistral’s moderation', async () => {
  const categories = { pii: true, health: false }
  await using pair = await inFront('mistral', (_seen, response) =>
    json(response, { id: 'x', results: [{ categories, category_scores: { pii: 0.9 } }] }),
  )
  const answer = await pair.gateway.post('/v1/moderations', { model: 'mistral/m', input: ['a'] })
  expect(await answer.json()).toMatchObject({
    results: [{ flagged: true, categories, category_scores: { pii: 0.9, hate: 0 } }],
  })
})
