// Text completions at upstreams that continue texts, that fill gaps, and that offer only chat.
import { expect, test } from 'vitest'
import { type Answering, json, type SeenRequest, sse } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/single-upstream.ts'

type Body = Readonly<Record<string, unknown>>

async function inFront(type: string, answering: Answering) {
  const pair = await inFrontOf(type, answering)
  const { gateway } = pair
  return {
    ...pair,
    complete: (fields: object, model = 'm') =>
      gateway.post('/v1/completions', { model: `${type}/${model}`, ...fields }),
  }
}

/** Repeats the user's message, in the form of each maker's answers. */
const chatting: Readonly<Record<string, Answering>> = {
  anthropic(seen, response) {
    const text = `re ${said(seen)}`
    const usage = { input_tokens: 5, output_tokens: 2 }
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_sequence: null,
    }
    if (seen.body['stream'] !== true)
      return json(response, {
        ...message,
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
        usage,
      })
    const delta = (piece: string) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: piece },
    })
    return sse(
      response,
      [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        delta('re '),
        delta(said(seen)),
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    )
  },
  google(seen, response) {
    const answer = (text: string, further: object) => ({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...further }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
    })
    const finish = { finishReason: 'STOP' }
    if (!seen.path.includes('stream')) return json(response, answer(`re ${said(seen)}`, finish))
    return sse(response, [answer('re ', {}), answer(said(seen), finish)])
  },
  groq: (seen, response) => openaiChat(seen, response, `re ${said(seen)}`),
}

function said({ body }: SeenRequest): string {
  const [message] = (body['messages'] ?? body['contents']) as readonly Body[]
  const { content, parts } = message ?? {}
  if (typeof content === 'string') return content
  const [part] = (content ?? parts) as readonly { readonly text: string }[]
  return part?.text ?? ''
}

function openaiChat(
  { body }: SeenRequest,
  response: Parameters<Answering>[1],
  text: string,
): void | Promise<void> {
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
  const envelope = { id: 'chatcmpl-1', created: 1, model: 'm' }
  const tokens = text.split(/(?<= )/)
  const logprobs = (of: readonly string[]) => ({
    content: of.map((token) => ({
      token,
      logprob: -0.5,
      bytes: null,
      top_logprobs: [{ token, logprob: -0.5, bytes: null }],
    })),
    refusal: null,
  })
  if (body['stream'] !== true)
    return json(response, {
      ...envelope,
      object: 'chat.completion',
      choices: Array.from({ length: Number(body['n'] ?? 1) }, (_, index) => ({
        index,
        message: { role: 'assistant', content: text },
        logprobs: body['logprobs'] === true ? logprobs(tokens) : null,
        finish_reason: 'stop',
      })),
      usage,
    })
  const chunk = (choice: object) => ({
    ...envelope,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, finish_reason: null, ...choice }],
  })
  return sse(response, [
    chunk({ delta: { role: 'assistant', content: '' } }),
    ...tokens.map((token) =>
      chunk({
        delta: { content: token },
        logprobs: body['logprobs'] === true ? logprobs([token]) : null,
      }),
    ),
    chunk({ delta: {}, finish_reason: 'stop' }),
    { ...envelope, object: 'chat.completion.chunk', choices: [], usage },
    'data: [DONE]\n\n',
  ])
}

interface Choice {
  readonly index: number
  readonly text: string
  readonly finish_reason: string | null
  readonly logprobs: { readonly text_offset: readonly number[] } | null
}

interface Chunk {
  readonly object: string
  readonly choices: readonly Choice[]
  readonly usage?: { readonly total_tokens: number } | null
}

async function streamed(answer: Response) {
  expect(answer.status).toBe(200)
  const events = (await answer.text()).split('\n\n').filter((event) => event.startsWith('data: '))
  expect(events.at(-1)).toBe('data: [DONE]')
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice(6)) as Chunk)
  const choices = chunks.flatMap((chunk) => chunk.choices)
  const texts: string[] = []
  for (const { index, text } of choices) texts[index] = (texts[index] ?? '') + text
  return {
    chunks,
    choices,
    texts,
    finished: choices.filter((choice) => choice.finish_reason === 'stop').length,
    usage: chunks.find((chunk) => chunk.usage)?.usage,
  }
}

const makers = Object.keys(chatting)

test.each(makers)('asks chat-only %s with a user message', async (type) => {
  await using pair = await inFront(type, chatting[type]!)
  const answer = await pair.complete({ prompt: 'Hi', max_tokens: 9, temperature: 0.5, stop: ['x'] })
  expect(await answer.json()).toMatchObject({
    object: 'text_completion',
    model: `${type}/m`,
    choices: [{ text: 're Hi', index: 0, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  })
  const { text } = pair.upstream.seen[0]!
  for (const sent of ['Hi', '9', '0.5', '"x"']) expect(text).toContain(sent)
})

test.each(['anthropic', 'groq'])('sends one chat per prompt and choice to %s', async (type) => {
  await using pair = await inFront(type, chatting[type]!)
  const answer = await pair.complete({ prompt: ['a', 'b'], n: 2 })
  expect(await answer.json()).toMatchObject({
    choices: ['re a', 're a', 're b', 're b'].map((text, index) => ({ text, index })),
    usage: { prompt_tokens: 10 },
  })
  expect(pair.upstream.seen).toHaveLength(type === 'groq' ? 2 : 4)
})

test.each(makers)('streams text from %s, with usage if requested', async (type) => {
  await using pair = await inFront(type, chatting[type]!)
  const include = { stream_options: { include_usage: true } }
  const both = await streamed(
    await pair.complete({ prompt: ['a', 'b'], stream: true, echo: true, ...include }),
  )
  expect(both).toMatchObject({
    texts: ['are a', 'bre b'],
    finished: 2,
    usage: { total_tokens: 14 },
  })
  expect(both.chunks.every(({ object }) => object === 'text_completion')).toBe(true)
  const one = await streamed(await pair.complete({ prompt: 'a', stream: true }))
  expect(one).toMatchObject({ texts: ['re a'], usage: undefined })
})

test('converts chat logprobs to those of text completions', async () => {
  await using pair = await inFront('nvidia', (seen, response) =>
    openaiChat(seen, response, 'one two'),
  )
  const whole = {
    tokens: ['one ', 'two'],
    token_logprobs: [-0.5, -0.5],
    top_logprobs: [{ 'one ': -0.5 }, { two: -0.5 }],
    text_offset: [0, 4],
  }
  const answer = await pair.complete({ prompt: 'p', logprobs: 1 })
  expect(await answer.json()).toMatchObject({ choices: [{ logprobs: whole }] })
  expect(pair.upstream.seen[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 1 })
  const { choices } = await streamed(
    await pair.complete({ prompt: 'p', logprobs: 1, stream: true }),
  )
  expect(choices.flatMap(({ logprobs }) => logprobs?.text_offset ?? [])).toEqual([0, 4])
})

test.each([
  ['suffix', { suffix: 's' }],
  ['prompt', { prompt: [1, 2] }],
  ['prompt', { prompt: [[1], [2]] }],
  ['prompt', { prompt: Array.from({ length: 129 }, () => 'p') }],
  ['best_of', { best_of: 2 }],
  ['max_tokens', { max_tokens: 0 }],
  ['logprobs', { logprobs: 1 }],
  ['logit_bias', { logit_bias: { 5: 1 } }],
])('rejects text completion fields that a chat model lacks: %s', async (param, fields) => {
  await using pair = await inFront('anthropic', chatting['anthropic']!)
  const answer = await pair.complete({ prompt: 'p', ...fields })
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }])
  expect(pair.upstream.seen).toHaveLength(0)
})

test('a failed chat cancels the others', async () => {
  await using pair = await inFront('anthropic', (seen, response, request) =>
    said(seen) === 'b'
      ? json(response, { type: 'error', error: { type: 'api_error' } }, { status: 500 })
      : chatting['anthropic']!(seen, response, request),
  )
  expect((await pair.complete({ prompt: ['a', 'b'] })).status).toBe(503)
})

const filled: Answering = (_seen, response) =>
  json(response, {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'mid' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
  })

test.each([
  ['mistral', 'codestral-latest', '/v1/fim/completions', { random_seed: 7 }],
  ['deepseek', 'deepseek-chat', '/beta/completions', {}],
])('%s: sends a suffix to its own fill-in-the-middle path', async (type, model, path, further) => {
  await using pair = await inFront(type, filled)
  const asked = { prompt: ['a'], suffix: 'z', ...(type === 'mistral' && { seed: 7 }) }
  const answer = await pair.complete(asked, model)
  expect(await answer.json()).toMatchObject({ choices: [{ text: 'mid', finish_reason: 'stop' }] })
  expect(pair.upstream.seen.map((seen) => [seen.path, seen.body])).toEqual([
    [path, { model, prompt: 'a', suffix: 'z', ...further }],
  ])
  const several = await pair.complete({ ...asked, prompt: ['a', 'b'] }, model)
  expect(((await several.json()) as Chunk).choices).toHaveLength(2)
  const refused = await pair.complete({ ...asked, prompt: [1, 2] }, model)
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { param: 'prompt' } },
  ])
})

test.each([
  ['gpt-4o', '/v1/chat/completions'],
  ['gpt-3.5-turbo', '/v1/chat/completions'],
  ['gpt-3.5-turbo-instruct', '/v1/completions'],
  ['davinci-002', '/v1/completions'],
])('calls OpenAI’s %s at %s', async (model, path) => {
  await using pair = await inFront('openai', filled)
  expect((await pair.complete({ prompt: 'p' }, model)).status).toBe(200)
  expect(pair.upstream.seen.map((seen) => seen.path)).toEqual([path])
})

test.each<[object, object]>([
  [{ stop: ['1', '2', '3', '4'] }, {}],
  [{ logprobs: false }, { logprobs: null }],
  [{ stop: null, suffix: null, best_of: null }, {}],
  [{ prompt: [[1, 2], [3]], n: 2, best_of: 2 }, {}],
])('sends vLLM %j unchanged', async (fields, changed) => {
  await using pair = await inFront('vllm', filled)
  expect((await pair.complete({ prompt: 'p', ...fields })).status).toBe(200)
  expect(pair.upstream.seen[0]?.body).toEqual({ model: 'm', prompt: 'p', ...fields, ...changed })
})

test('streams best_of only if it equals n', async () => {
  await using pair = await inFront('vllm', (_seen, response) =>
    sse(response, [
      { choices: [{ index: 0, text: 'a', finish_reason: 'stop' }] },
      { choices: [{ index: 1, text: 'b', finish_reason: 'stop' }] },
      'data: [DONE]\n\n',
    ]),
  )
  const asked = { prompt: 'p', n: 2, stream: true }
  expect((await streamed(await pair.complete({ ...asked, best_of: 2 }))).texts).toEqual(['a', 'b'])
  const refused = await pair.complete({ ...asked, best_of: 3 })
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { param: 'best_of' } },
  ])
})
