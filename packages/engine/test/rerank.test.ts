import { afterAll, expect, test } from 'vitest'
import type { RequestOf } from '../../contract/src/operations/index.ts'
import { rerank } from '../src/rerank/rerank.ts'
import { openContext } from './audio-sounds.ts'

const context = openContext()
afterAll(() => context[Symbol.asyncDispose]())

async function ask(fields: Partial<RequestOf<'rerank'>>) {
  const request = { model: 'test-model', query: 'water', documents: ['a'], ...fields }
  const result = await rerank(request, context)
  if (result.kind !== 'reply') throw new Error(`The answer is ${result.kind}`)
  return result.reply
}

async function order(query: string, documents: readonly string[]): Promise<readonly number[]> {
  const { results } = await ask({ query, documents: [...documents] })
  return results.map((result) => result.index)
}

test.each<[name: string, query: string, documents: readonly string[], best: number]>([
  [
    'the document that answers comes first',
    'What is the capital of the United States?',
    [
      'Carson City is the capital city of the American state of Nevada.',
      'The Northern Mariana Islands are a group of islands. Their capital is Saipan.',
      'Washington, D.C. is the capital of the United States.',
      'Capital punishment has existed in the United States since before it was a country.',
    ],
    2,
  ],
  [
    'stems match',
    'where do fishes live',
    ['Cars drive on roads.', 'A fish is living in water.'],
    1,
  ],
  [
    'misspelt words match',
    'pasword reest',
    ['The weather today', 'How to reset your password', 'A bird'],
    1,
  ],
  ['synonyms match', 'cat', ['a dog', 'the kitten', 'a concatenation'], 1],
  [
    'phrases count',
    'machine learning',
    ['learning about a machine', 'machine learning', 'a machine'],
    1,
  ],
  [
    'rare words count for more',
    'the red zebra',
    ['the red car', 'the red house', 'the red bus', 'a zebra'],
    3,
  ],
  ['other scripts match', '東京の天気', ['株価が下落', '東京の天気は晴れ'], 1],
  [
    'a long document is judged by its best part',
    'blue whale',
    [`${'filler text about nothing. '.repeat(400)}The blue whale is large.`, 'whales'],
    0,
  ],
])('%s', async (_, query, documents, best) => {
  expect((await order(query, documents))[0]).toBe(best)
})

test('scores are between 0 and 1 in descending order, and ties keep their order', async () => {
  const documents = ['nothing', 'fish live in water', 'fish', 'nothing', 'fish live in water']
  const { results } = await ask({ query: 'where do fish live', documents })
  expect(results.map((result) => result.index)).toEqual([1, 4, 2, 0, 3])
  const scores = results.map((result) => result.relevance_score)
  for (const score of scores) {
    expect(score).toBeGreaterThanOrEqual(0)
    expect(score).toBeLessThanOrEqual(1)
  }
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  expect(scores[0]).toBeGreaterThan(0.7)
  expect(scores.at(-1)).toBeLessThan(0.1)
})

test("answers with Cohere's fields", async () => {
  const reply = await ask({
    query: 'fish',
    documents: Array.from({ length: 101 }, (_, i) => `fish ${i}`),
  })
  expect(reply).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    model: 'test-model',
    meta: {
      api_version: { version: '1' },
      billed_units: { search_units: 2 },
      tokens: { input_tokens: reply.usage.total_tokens, output_tokens: 0 },
    },
    usage: { prompt_tokens: reply.usage.total_tokens },
  })
  expect(reply.results).toHaveLength(101)
  expect(reply.meta).not.toHaveProperty('warnings')
})

test('returns documents as sent, unless declined', async () => {
  const documents = ['fish live in water', { text: 'fish', id: 7 }, { title: 'no', body: 'words' }]
  const { results } = await ask({ query: 'fish live', documents })
  expect(results.map((result) => result.document)).toEqual([
    { text: documents[0] },
    documents[1],
    documents[2],
  ])
  const without = await ask({ query: 'fish', documents, return_documents: false })
  expect(without.results.every((result) => !('document' in result))).toBe(true)
})

test('reads only the rank_fields', async () => {
  const documents = [
    { title: 'fish', text: 'cars' },
    { title: 'cars', text: 'fish' },
  ]
  const byTitle = await ask({ query: 'fish', documents, rank_fields: ['title'] })
  expect(byTitle.results[0]?.index).toBe(0)
  const byText = await ask({ query: 'fish', documents })
  expect(byText.results[0]?.index).toBe(1)
})

test.each([
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 3],
  [1000, 3],
])('top_n %d returns %d results', async (top_n, count) => {
  expect((await ask({ documents: ['a', 'b', 'c'], top_n })).results).toHaveLength(count)
})

test('truncates documents at the limit per document', async () => {
  const late = `${'filler '.repeat(600)}zebra`
  const score = async (fields: Partial<RequestOf<'rerank'>>) => {
    const reply = await ask({ query: 'zebra', documents: [late], ...fields })
    return { score: reply.results[0]?.relevance_score, meta: reply.meta }
  }
  expect((await score({})).score).toBeGreaterThan(0.3)
  expect((await score({ max_chunks_per_doc: 1 })).score).toBe(0)
  const cut = await score({ max_tokens_per_doc: 100 })
  expect(cut.score).toBe(0)
  expect(cut.meta['warnings']).toEqual(['1 documents were cut to 100 tokens'])
})

test.each<[string, Partial<RequestOf<'rerank'>>, string]>([
  ['a blank query', { query: '  ' }, 'query'],
  ['a document without text', { documents: ['a', { number: 5 }] }, 'documents[1]'],
  [
    'a document without the rank_fields',
    { documents: [{ text: 'a' }], rank_fields: ['body'] },
    'documents[0]',
  ],
])('rejects %s', async (_, fields, param) => {
  await expect(ask(fields)).rejects.toMatchObject({ code: 'invalid_request', details: { param } })
})

test('ranks a large request in a worker with the same scores', async () => {
  const documents = Array.from(
    { length: 400 },
    (_, i) => `${'filler text '.repeat(20)} fish number ${i}`,
  )
  const large = await ask({ query: 'fish number 7', documents })
  expect(large.results[0]?.index).toBe(7)
  const hostile = Array.from({ length: 1000 }, (_, i) =>
    Array.from({ length: 60 }, (__, j) => `qwert${i * j}yuiop`).join(' '),
  )
  expect(
    (await ask({ query: 'qwertyuiop '.repeat(500), documents: hostile })).results,
  ).toHaveLength(1000)
})
