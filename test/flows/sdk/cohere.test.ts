import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Started, start, testKey } from '../../support/start.ts'

/** Cohere's own client, told nothing but the address and the key. */
let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const query = 'Where do fish live?'
const documents = ['Cars drive on roads.', 'Fish live in water.', 'The moon is far away.']

test('reranks with the V2 client', async () => {
  const cohere = new CohereClientV2({ token: testKey, environment: gateway.url })
  const { id, results, meta } = await cohere.rerank({
    model: 'rerank-v3.5',
    query,
    documents,
    topN: 2,
  })
  expect(id).toBeTruthy()
  expect(results).toHaveLength(2)
  expect(results[0]?.index).toBe(1)
  expect(results[0]?.relevanceScore).toBeGreaterThan(results[1]?.relevanceScore ?? 1)
  expect(meta?.billedUnits?.searchUnits).toBe(1)
})

test('reranks documents as objects with the V1 client', async () => {
  const cohere = new CohereClient({ token: testKey, environment: gateway.url })
  const { results, meta } = await cohere.rerank({
    model: 'rerank-english-v3.0',
    query,
    documents: documents.map((text, at) => ({ text, title: `Page ${at}` })),
    rankFields: ['text'],
    returnDocuments: true,
  })
  expect(results.map(({ index }) => index)).toHaveLength(3)
  expect(results[0]).toMatchObject({
    index: 1,
    document: { text: 'Fish live in water.', title: 'Page 1' },
  })
  expect(meta?.apiVersion?.version).toBeTruthy()
})

test('throws the client’s own error', async () => {
  const cohere = new CohereClientV2({ token: 'sk-wrong', environment: gateway.url })
  const asked = cohere.rerank({ model: 'rerank-v3.5', query, documents }, { maxRetries: 0 })
  await expect(asked).rejects.toThrow(CohereError)
  await expect(asked).rejects.toMatchObject({ statusCode: 401 })
})
