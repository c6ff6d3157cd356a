// An attempt that ends before its upstream reports usage is charged by what is known of it.
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, textStream } from '../../support/fakes/openai-wire.ts'
import { ledger } from '../../support/ledger.ts'
import { start, until } from '../../support/start.ts'

const prompt = 'Tell me of cats and of mats. '.repeat(20)
const body = { messages: [{ role: 'user', content: prompt }], max_tokens: 50 }
const prices = {
  'up/a': { input: 1, output: 2 },
  'up/b': { input: 1, output: 2 },
  'up/speech': { characters: 3 },
  'up/pictures': { images: 0.04 },
  'up/ranks': { searchUnits: 0.002 },
}
const silent: Answering = () => {}
const replies: Answering = (_seen, response) => json(response, chatReply('Hello'))
const begins: Answering = (_seen, response) => {
  const usage = { prompt_tokens: 77, completion_tokens: 1, total_tokens: 78 }
  const opening = JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [],
    usage,
  })
  return sse(response, [`data: ${opening}\n\n`], { end: false })
}

const hedged = (delayMs = 20): ConfigFile => ({
  models: {
    fast: {
      targets: [{ target: 'up/a' }, { target: 'up/b', priority: 1 }],
      retries: { attempts: 1 },
      hedge: { enabled: true, delayMs },
    },
  },
})

async function ask(
  answers: readonly Answering[],
  content: ConfigFile,
  further: object = {},
  type: 'openai' | 'cohere' = 'openai',
) {
  let asked = 0
  await using upstream = await fakeUpstream((seen, response, request) => {
    const answer = answers[Math.min(asked, answers.length - 1)]
    asked += 1
    return answer?.(seen, response, request)
  })
  await using gateway = await start({
    prices,
    defaults: { retries: { attempts: 1 } },
    providers: { up: { type, baseUrl: upstream.url, key: 'k' } },
    ...content,
  })
  const { path = '/v1/chat/completions', ...rest } = further as { path?: string }
  const answer = await gateway.post(path, { ...body, model: 'fast', ...rest })
  await answer.arrayBuffer()
  await until(() => upstream.seen.every(({ isOver }) => isOver))
  const records = await ledger(gateway)
  return records.toSorted((one, other) => one.attempt - other.attempt)
}

describe('the loser of a hedge', () => {
  test('that sent nothing costs its estimated prompt', async () => {
    const [loser, winner] = await ask([silent, replies], hedged())
    expect(winner).toMatchObject({ outcome: 'completed', reported: true })
    expect(loser).toMatchObject({ outcome: 'cancelled', estimated: true, outputTokens: 0 })
    // Some eight tokens, twenty times.
    expect(loser!.inputTokens).toBeGreaterThan(120)
    expect(loser!.inputTokens).toBeLessThan(240)
    expect(loser!.costMicroUsd).toBe(loser!.inputTokens)
  })

  test('that reported usage before it was canceled costs that usage', async () => {
    const stream: Answering = (_seen, response) => sse(response, textStream)
    const [loser, winner] = await ask([begins, stream], hedged(), { stream: true })
    expect(winner).toMatchObject({ outcome: 'completed' })
    expect(loser).toMatchObject({ outcome: 'cancelled', reported: true, inputTokens: 77 })
    expect(loser!.costMicroUsd).toBe(79)
  })
})

describe('an attempt that times out', () => {
  const impatient: ConfigFile = {
    models: { fast: 'up/a' },
    defaults: { retries: { attempts: 1 }, timeouts: { headersMs: 200 } },
  }
  const asked = (input: unknown) => ({ path: '/v1/embeddings', messages: undefined, input })
  test.each([
    ['a chat', {}],
    ['embeddings', asked(prompt)],
    ['embeddings of tokens', asked(Array(160).fill(17))],
  ])('costs its estimated prompt: %s', async (_name, further) => {
    const [record] = await ask([silent], impatient, further)
    expect(record).toMatchObject({ outcome: 'failed', estimated: true, outputTokens: 0 })
    expect(record!.costMicroUsd).toBe(record!.inputTokens)
    expect(record!.inputTokens).toBeGreaterThan(120)
    expect(record!.inputTokens).toBeLessThan(240)
  })

  test('costs its own prompt: one of several text completions', async () => {
    const several = { path: '/v1/completions', messages: undefined, prompt: [prompt, prompt], n: 2 }
    const records = await ask([silent], impatient, several, 'cohere')
    expect(records).toHaveLength(4)
    for (const { estimated, inputTokens } of records) {
      expect(estimated).toBe(true)
      expect(inputTokens).toBeGreaterThan(120)
      expect(inputTokens).toBeLessThan(240)
    }
  })

  test('costs the requested characters of speech, images and searches', async () => {
    const speech = { path: '/v1/audio/speech', model: 'up/speech', input: 'So', voice: 'alloy' }
    const [spoken] = await ask([silent], impatient, speech)
    expect(spoken).toMatchObject({ estimated: true, characters: 2, costMicroUsd: 6 })
    const image = { path: '/v1/images/generations', model: 'up/pictures', prompt: 'A cat', n: 2 }
    const [drawn] = await ask([silent], impatient, image)
    expect(drawn).toMatchObject({ estimated: true, images: 2, costMicroUsd: 80_000 })
    const documents = Array.from({ length: 101 }, () => 'So')
    const rank = { path: '/v1/rerank', model: 'up/ranks', query: 'What', documents }
    const [ranked] = await ask([silent], impatient, rank, 'cohere')
    expect(ranked).toMatchObject({ estimated: true, searchUnits: 2, costMicroUsd: 4_000 })
  })
})

describe('an attempt costs nothing', () => {
  const one: ConfigFile = { models: { fast: 'up/a' } }
  test.each([429, 500, 503, 504, 408])('when it was answered with %i', async (status) => {
    const fails: Answering = (_seen, response) =>
      json(response, { error: { message: 'no' } }, { status })
    const [record] = await ask([fails], one)
    expect(record).toMatchObject({ outcome: 'failed', costMicroUsd: 0, priceSource: 'not charged' })
  })

  test('when its upstream is unreachable', async () => {
    const gone = await fakeUpstream(replies)
    const { url } = gone
    await gone[Symbol.asyncDispose]()
    const providers = { up: { type: 'openai' as const, baseUrl: url, key: 'k' } }
    const [record] = await ask([replies], { ...one, providers })
    expect(record).toMatchObject({ outcome: 'failed', costMicroUsd: 0, priceSource: 'not charged' })
  })
})
