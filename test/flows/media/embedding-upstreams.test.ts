// Embeddings at upstreams beside OpenAI: the requested encoding, one vector for each input, as many requests as the
// upstream needs, and the purpose in its own field.
import { expect, test } from 'vitest'
import {
  type Answering,
  fakeUpstream,
  json,
  type SeenRequest,
} from '../../support/fakes/fake-upstream.ts'
import { type Started, start } from '../../support/start.ts'

const address = '/v1/embeddings'
/** 0.5 and 0.25 as little-endian float32. */
const encoded = 'AAAAPwAAgD4='
const numbers = [0.5, 0.25]

async function inFront(
  provider: Readonly<Record<string, string>>,
  answering: Answering,
  use: (gateway: Started, seen: readonly SeenRequest[]) => Promise<void>,
): Promise<void> {
  await using upstream = await fakeUpstream(answering)
  const up = { ...provider, baseUrl: upstream.url, key: 'sk-of-the-upstream' }
  await using gateway = await start({
    providers: { up },
    defaults: { retries: { attempts: 1 } },
  })
  await use(gateway, upstream.seen)
}

interface Embeddings {
  readonly data: readonly { readonly index: number; readonly embedding: unknown }[]
  readonly usage: unknown
}

const read = async (answer: Response) => (await answer.json()) as Embeddings

const answering = (
  embeddings: readonly unknown[],
  usage: unknown = { prompt_tokens: 3, total_tokens: 3 },
) =>
  ((_seen, response) =>
    json(response, {
      object: 'list',
      data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      usage,
    })) satisfies Answering

test.each(['openai', 'ollama', 'lmstudio', 'vllm', 'mistral'])(
  'converts embeddings of %s to the requested encoding_format',
  async (type) => {
    for (const vector of [numbers, encoded])
      await inFront({ type }, answering([vector]), async (gateway) => {
        const ask = async (fields: object) => {
          const answer = await gateway.post(address, { model: 'up/m', input: 'a', ...fields })
          return (await read(answer)).data[0]?.embedding
        }
        expect(await ask({ encoding_format: 'base64' })).toBe(encoded)
        expect(await ask({ encoding_format: 'float' })).toEqual(numbers)
        expect(await ask({})).toEqual(numbers)
      })
  },
)

test('passes an answer in the requested encoding unchanged', async () => {
  const body = '{"object":"list",  "data":[{"embedding":[1e-1],"index":0}],"usage":{"a":1}}'
  const answers: Answering = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }
  await inFront({ type: 'openai' }, answers, async (gateway) => {
    const answer = await gateway.post(address, { model: 'up/m', input: 'a' })
    expect(await answer.text()).toBe(body)
  })
})

test('adds usage to an answer without it', async () => {
  await inFront({ type: 'localai' }, answering([numbers], null), async (gateway) => {
    const answer = await gateway.post(address, { model: 'up/m', input: 'a' })
    expect((await read(answer)).usage).toEqual({ prompt_tokens: 0, total_tokens: 0 })
  })
})

test('drops null fields of an embeddings request', async () => {
  await inFront({ type: 'deepinfra' }, answering([numbers]), async (gateway, seen) => {
    const nulls = { encoding_format: null, dimensions: null, user: null }
    await gateway.post(address, { model: 'up/m', input: 'a', ...nulls, own_word: 1 })
    expect(seen[0]?.body).toEqual({ model: 'm', input: 'a', own_word: 1 })
  })
})

test.each(['openai', 'mistral', 'jina'])(
  'rejects an answer of %s with one vector for two inputs',
  async (type) => {
    await inFront({ type }, answering([numbers]), async (gateway) => {
      const answer = await gateway.post(address, { model: 'up/m', input: ['a', 'b'] })
      expect(answer.status).toBe(502)
      expect(await answer.text()).toContain('1 vectors for 2 inputs')
      const tokens = await gateway.post(address, { model: 'up/m', input: [1, 2] })
      expect(tokens.status).toBe(type === 'jina' ? 400 : 200)
    })
  },
)

/** What each takes a call, and how it answers to the texts t0, t1 and so on. */
const numberOf = (text: string) => [Number(text.slice(1)), 1]
const batches: Readonly<
  Record<string, readonly [number, (texts: readonly string[]) => object, settings?: object]>
> = {
  cohere: [96, (texts) => ({ embeddings: { float: texts.map(numberOf) }, meta: billed(texts) })],
  gemini: [100, (texts) => ({ embeddings: texts.map((text) => ({ values: numberOf(text) })) })],
  alibaba: [10, listed],
  siliconflow: [32, listed],
  'google-vertex': [
    1,
    (texts) => ({ predictions: texts.map((text) => ({ embeddings: { values: numberOf(text) } })) }),
    { project: 'p', region: 'us-central1' },
  ],
}

function billed(texts: readonly string[]) {
  return { billed_units: { input_tokens: texts.length } }
}

function listed(texts: readonly string[]) {
  const usage = { prompt_tokens: texts.length, total_tokens: texts.length }
  return { data: texts.map((text, index) => ({ index, embedding: numberOf(text) })), usage }
}

function textsIn({ body }: SeenRequest): readonly string[] {
  const { texts, input, requests, instances } = body as Readonly<Record<string, never[]>>
  return (texts ?? input ?? requests ?? instances ?? []).map(
    (item: string | { content: string | { parts: readonly [{ text: string }] } }) => {
      if (typeof item === 'string') return item
      return typeof item.content === 'string' ? item.content : item.content.parts[0].text
    },
  )
}

test.each(Object.entries(batches))(
  'splits inputs into the batch size of %s',
  async (type, [most, answer, settings = {}]) => {
    const count = Math.max(3, most * 2 + 1)
    const input = Array.from({ length: count }, (_, index) => `t${index}`)
    const answers: Answering = (seen, response) => json(response, answer(textsIn(seen)))
    const model = type === 'google-vertex' ? 'gemini-embedding-001' : 'm'
    await inFront({ type, ...settings }, answers, async (gateway, seen) => {
      const reply = await gateway.post(address, { model: `up/${model}`, input })
      const { data } = await read(reply)
      expect(data).toHaveLength(count)
      for (const [index, each] of data.entries())
        expect(each).toMatchObject({ index, embedding: [index, 1] })
      expect(seen.map((each) => textsIn(each).length).toSorted((a, b) => b - a)).toEqual([
        ...Array(Math.floor(count / most)).fill(most),
        ...(count % most === 0 ? [] : [count % most]),
      ])
    })
  },
)

test.each([
  ['nvidia', 'search_document', { input_type: 'passage' }],
  ['nvidia', 'retrieval.query', { input_type: 'query' }],
  ['nvidia', 'a-word-of-its-own', { input_type: 'a-word-of-its-own' }],
  ['openrouter', 'query', { input_type: 'search_query' }],
  ['voyage', 'RETRIEVAL_DOCUMENT', { input_type: 'document' }],
  ['jina', 'semantic_similarity', { task: 'text-matching' }],
  ['cohere', 'retrieval.passage', { input_type: 'search_document' }],
  ['gemini', 'text-matching', { requests: [{ taskType: 'SEMANTIC_SIMILARITY' }] }],
])('translates for %s the input_type %s', async (type, word, sent) => {
  await inFront({ type }, answering([numbers]), async (gateway, seen) => {
    await gateway.post(address, { model: 'up/m', input: 'a', input_type: word })
    expect(seen[0]?.body).toMatchObject(sent)
  })
})
