// Responses that are made in conversations, with the official SDK, at models that know no conversations too.
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { client, said, textsIn } from '../../support/clients/conversations.ts'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { answerCompletion } from '../../support/fakes/openai-wire.ts'
import {
  answerResponse,
  messageItem,
  reasoningItem,
  type ResponseItem,
} from '../../support/fakes/responses-wire.ts'
import { start, testKey, until } from '../../support/start.ts'

/** How many texts a model was sent; some formats have several in one message. */
const heard = (list: unknown) => {
  const messages = list as readonly { readonly content: string | readonly unknown[] }[]
  return `Heard ${messages.flatMap(({ content }) => content).length}`
}

const chat: Answering = (seen, response) =>
  answerCompletion(seen, response, { text: heard(seen.body['messages']) })
const claude: Answering = (seen, response) =>
  answerMessage(seen, response, anthropicMessage([textBlock(heard(seen.body['messages']))]))
const native: Answering = (seen, response) =>
  answerResponse(seen, response, [messageItem(heard(seen.body['input']))])

const upstreams: readonly (readonly [
  name: string,
  provider: 'cerebras' | 'anthropic' | 'openai',
  answering: Answering,
])[] = [
  ['a chat model', 'cerebras', chat],
  ['a Messages model', 'anthropic', claude],
  ['a Responses model', 'openai', native],
]

interface Asked {
  readonly model: string
  readonly conversation: string | { readonly id: string }
  readonly input: string
}

async function respond(openai: OpenAI, asked: Asked, stream: boolean) {
  return stream
    ? openai.responses.stream(asked).finalResponse()
    : openai.responses.create({ ...asked, stream: false })
}

describe.each([false, true])('responses in a conversation, streamed: %s', (stream) => {
  test.each(upstreams)('%s hears all of it', async (_, provider, answering) => {
    await using up = await fakeUpstream(answering)
    await using gateway = await start({ providers: { [provider]: { baseUrl: up.url, key: 'k' } } })
    const openai = client(gateway)
    const { id } = await openai.conversations.create({ items: [said('zero')] })
    const asked = { model: `${provider}/m`, input: 'one', conversation: id }
    expect((await respond(openai, asked, stream)).output_text).toBe('Heard 2')
    const second = { model: `${provider}/m`, input: 'two', conversation: { id } }
    expect((await respond(openai, second, stream)).output_text).toBe('Heard 4')
    expect(up.seen.at(-1)!.text).not.toContain(id)
    const all = ['zero', 'one', 'Heard 2', 'two', 'Heard 4']
    expect(await textsIn(openai, id)).toEqual(all)
    const [texts, order] = [up.seen.at(-1)!.text, all.slice(0, -1)]
    expect(order.map((text) => texts.indexOf(text)).toSorted((a, b) => a - b)).toEqual(
      order.map((text) => texts.indexOf(text)),
    )
  })

  test('the built-in model answers from it, and says to which it belongs', async () => {
    await using gateway = await start()
    const openai = client(gateway)
    const { id } = await openai.conversations.create({
      items: [said('The launch code of the project is Marzipan.')],
    })
    const model = 'builtin-chat'
    const question = 'What is the launch code of the project?'
    const answer = await respond(openai, { model, conversation: id, input: question }, stream)
    expect(answer.output_text).toContain('Marzipan')
    expect(answer.conversation).toEqual({ id })
    expect(await textsIn(openai, id)).toHaveLength(3)
    const count = async (further: object) =>
      (await openai.responses.inputTokens.count({ model, input: 'Hi', ...further })).input_tokens
    expect(await count({ conversation: id })).toBeGreaterThan((await count({})) + 15)
    expect(await textsIn(openai, id)).toHaveLength(3)
    // A response of a conversation can also be continued by its id.
    const next = { model, input: question, previous_response_id: answer.id }
    expect((await openai.responses.create(next)).output_text).toContain('Marzipan')
    expect(await textsIn(openai, id)).toHaveLength(3)
  })

  test('one that is not stored is in its conversation', async () => {
    await using gateway = await start()
    const openai = client(gateway)
    const { id } = await openai.conversations.create()
    const body = { model: 'builtin-chat', input: 'Hi', conversation: id, store: false }
    await respond(openai, body, stream)
    expect(await textsIn(openai, id)).toHaveLength(2)
  })
})

describe.each([false, true])('responses that do not end, streamed: %s', (stream) => {
  test('one that fails adds nothing, and the next one is not kept waiting', async () => {
    let fails = true
    await using up = await fakeUpstream((seen, response, connections) => {
      if (fails) return json(response, { error: { message: 'no' } }, { status: 400 })
      return chat(seen, response, connections)
    })
    await using gateway = await start({
      providers: { cerebras: { baseUrl: up.url, key: 'k' } },
    })
    const openai = client(gateway)
    const { id } = await openai.conversations.create()
    const asked = { model: 'cerebras/m', input: 'one', conversation: id }
    await expect(respond(openai, asked, stream)).rejects.toMatchObject({ status: 400 })
    expect(await textsIn(openai, id)).toEqual([])
    fails = false
    await respond(openai, asked, stream)
    expect(await textsIn(openai, id)).toEqual(['one', 'Heard 1'])
  })

  test('one whose caller leaves adds nothing and frees the conversation', async () => {
    let hangs = true
    await using up = await fakeUpstream((seen, response, connections) => {
      if (!hangs) return chat(seen, response, connections)
      if (!stream) return undefined
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const delta = { role: 'assistant', content: 'Begun' }
      response.write(
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
      )
      return undefined
    })
    await using gateway = await start({
      providers: { cerebras: { baseUrl: up.url, key: 'k' } },
    })
    const openai = client(gateway)
    const { id } = await openai.conversations.create()
    const asked = { model: 'cerebras/m', input: 'one', conversation: id }
    const leaving = new AbortController()
    const left = fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...asked, stream }),
      signal: leaving.signal,
    }).then((answer) => answer.text())
    await until(() => up.seen.length === 1)
    await expect(respond(openai, asked, stream)).rejects.toMatchObject({
      status: 400,
      code: 'conversation_locked',
      param: 'conversation',
    })
    expect(up.seen).toHaveLength(1)
    hangs = false
    leaving.abort()
    await expect(left).rejects.toMatchObject({ name: 'AbortError' })
    await until(() =>
      respond(openai, asked, stream).then(
        () => true,
        () => false,
      ),
    )
    expect(await textsIn(openai, id)).toEqual(['one', 'Heard 1'])
  })
})

test('items of a provider go back to the key that made them', async () => {
  const made = new Map<string, string | undefined>()
  let count = 0
  await using up = await fakeUpstream((seen, response) => {
    const key = seen.headers['authorization']
    const input = seen.body['input'] as readonly ResponseItem[]
    const foreign = input.find(({ id, type }) => type === 'reasoning' && made.get(id) !== key)
    if (foreign) return json(response, { error: { message: 'unknown item' } }, { status: 400 })
    count += 1
    const { encrypted_content: _, ...thought } = reasoningItem('Hm', 'x')
    const item = { ...thought, id: `rs_${count}` } as ResponseItem
    made.set(item.id, key)
    return answerResponse(seen, response, [item, messageItem('Hello')])
  })
  await using gateway = await start({
    providers: { up: { type: 'openai-responses', baseUrl: up.url, keys: ['a', 'b', 'c'] } },
  })
  const openai = client(gateway)
  for (let round = 0; round < 3; round += 1) {
    const { id } = await openai.conversations.create()
    for (let index = 0; index < 3; index += 1)
      await openai.responses.create({ model: 'up/m', input: 'Hi', conversation: id })
    expect(await textsIn(openai, id)).toHaveLength(9)
  }
})

test('goes on at another provider without what only the first one can read', async () => {
  const { encrypted_content: _, ...thought } = reasoningItem('Hm', 'x')
  const item = { ...thought, id: 'rs_first' } as ResponseItem
  await using first = await fakeUpstream((seen, response) =>
    answerResponse(seen, response, [item, messageItem('Hello')]),
  )
  await using second = await fakeUpstream(native)
  const at = ({ url: baseUrl }: typeof first) => ({
    type: 'openai-responses' as const,
    baseUrl,
    keys: ['a', 'b'],
  })
  await using gateway = await start({ providers: { first: at(first), second: at(second) } })
  const openai = client(gateway)
  const { id: conversation } = await openai.conversations.create()
  await openai.responses.create({ model: 'first/m', input: 'one', conversation })
  await openai.responses.create({ model: 'second/m', input: 'two', conversation })
  expect(second.seen[0]!.body['input']).toMatchObject([
    { role: 'user' },
    { role: 'assistant' },
    { role: 'user', content: 'two' },
  ])
  expect(second.seen[0]!.text).not.toContain('"id"')
  expect(await textsIn(openai, conversation)).toHaveLength(5)
})
