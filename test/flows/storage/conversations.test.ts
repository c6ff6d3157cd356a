// Conversations of /v1/conversations with the official SDK.
import { describe, expect, test } from 'vitest'
import { client, said, textsIn } from '../../support/clients/conversations.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { owner, stranger, withTwoKeys } from '../../support/gateways/two-keys.ts'
import { adminKey, start } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('a conversation', () => {
  test('is created, read, changed and deleted', async () => {
    await using gateway = await start()
    const { conversations } = client(gateway)
    const made = await conversations.create({ metadata: { topic: 'a' }, items: [said('Hello')] })
    expect(made).toEqual({
      id: expect.stringMatching(/^conv_/),
      object: 'conversation',
      created_at: expect.any(Number),
      metadata: { topic: 'a' },
    })
    expect(await conversations.retrieve(made.id)).toEqual(made)
    const changed = { ...made, metadata: { topic: 'b' } }
    expect(await conversations.update(made.id, { metadata: { topic: 'b' } })).toEqual(changed)
    expect(await conversations.retrieve(made.id)).toEqual(changed)
    expect(await conversations.delete(made.id)).toEqual({
      id: made.id,
      object: 'conversation.deleted',
      deleted: true,
    })
    await expect(conversations.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
    await expect(conversations.items.list(made.id)).rejects.toMatchObject({ status: 404 })
    expect(await conversations.create()).toMatchObject({ metadata: {} })
  })

  test('has items, which are added, listed, read and deleted', async () => {
    await using gateway = await start()
    const { conversations } = client(gateway)
    const { id } = await conversations.create({ items: [said('one')] })
    const added = await conversations.items.create(id, {
      items: [said('two'), { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }],
      include: ['reasoning.encrypted_content'],
    })
    expect(added).toMatchObject({ object: 'list', has_more: false })
    const [two, call] = added.data
    expect(two).toEqual({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'two' }],
    })
    expect(await textsIn(client(gateway), id)).toEqual(['one', 'two', 'function_call'])
    const newest = await conversations.items.list(id, { limit: 1 })
    expect(newest).toMatchObject({ data: [call], has_more: true })
    expect(await conversations.items.retrieve(two!.id!, { conversation_id: id })).toEqual(two)
    expect(await conversations.items.delete(two!.id!, { conversation_id: id })).toMatchObject({
      id,
      object: 'conversation',
    })
    for (const gone of [
      conversations.items.retrieve(two!.id!, { conversation_id: id }),
      conversations.items.delete(two!.id!, { conversation_id: id }),
    ])
      await expect(gone).rejects.toMatchObject({ status: 404, param: 'item_id' })
    expect(await textsIn(client(gateway), id)).toEqual(['one', 'function_call'])
  })

  test('survives a restart', async () => {
    using folder = temporaryFolder()
    const options = { dataFolder: folder.path }
    let id: string
    {
      await using gateway = await start({}, options)
      id = (await client(gateway).conversations.create({ items: [said('one')] })).id
    }
    await using gateway = await start({}, options)
    expect(await textsIn(client(gateway), id)).toEqual(['one'])
  })
})

const nameMax = 'n'.repeat(64)
const valueMax = 'v'.repeat(512)
const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))

describe('bad input', () => {
  const item = { type: 'message', role: 'user', content: 'Hi' }
  const call = { type: 'function_call', call_id: 'c', name: 'f' }
  const cases: readonly (readonly [string, object, string])[] = [
    ['', { items: 'Hi' }, 'items'],
    ['', { items: Array(21).fill(item) }, 'items'],
    ['', { items: [item, { type: 'message', role: 'nobody', content: 'Hi' }] }, 'items[1].role'],
    ['', { items: [{ type: 'message', content: 'Hi' }] }, 'items[0].role'],
    ['', { items: [{ role: 'user' }] }, 'items[0].content'],
    ['', { items: [call] }, 'items[0].arguments'],
    ['', { items: [{ type: 'item_reference', id: 'msg_1' }] }, 'items[0].type'],
    [
      '',
      {
        items: [
          { ...item, id: 'msg_1' },
          { ...item, id: 'msg_1' },
        ],
      },
      'items[1].id',
    ],
    ['', { metadata: 'x' }, 'metadata'],
    ['', { metadata: pairs(17) }, 'metadata'],
    ['', { metadata: { a: 1 } }, 'metadata.a'],
    ['', { metadata: { a: `${valueMax}v` } }, 'metadata.a'],
    ['', { metadata: { [`${nameMax}n`]: 'a' } }, `metadata.${nameMax}`],
    ['/conv', {}, 'metadata'],
    ['/conv/items', {}, 'items'],
    ['/conv/items', { items: [{ ...item, id: 'msg_known' }] }, 'items[0].id'],
  ]
  test.each(cases)('%s %j is refused and names %s', async (path, body, param) => {
    await using gateway = await start()
    const { id } = await client(gateway).conversations.create({
      items: [{ ...said('Hi'), id: 'msg_known' } as never],
    })
    const answer = await gateway.post(`/v1/conversations${path.replace('conv', id)}`, body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param } })
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['order=up', 'order'],
    ['after=msg_x', 'after'],
    ['include=everything', 'include'],
    ['include[]=reasoning.encrypted_content&include[]=x', 'include'],
  ])('of a list: %s is refused', async (query, param) => {
    await using gateway = await start()
    const { id } = await client(gateway).conversations.create()
    const answer = await gateway.request(`/v1/conversations/${id}/items?${query}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param } })
  })

  test('what is just within the limits is taken', async () => {
    await using gateway = await start()
    const { conversations } = client(gateway)
    const metadata = { ...pairs(15), [nameMax]: valueMax }
    const made = await conversations.create({ metadata, items: Array(20).fill(said('Hi')) })
    expect(made.metadata).toEqual(metadata)
  })

  test.each([
    [{ conversation: 'conv_unknown' }, 404, 'conversation'],
    [{ conversation: { id: 'conv_unknown' } }, 404, 'conversation'],
    [{ conversation: {} }, 400, 'conversation.id'],
    [{ conversation: 'conv_x', previous_response_id: 'resp_x' }, 400, 'conversation'],
  ])('of a response and of its count: %j gets %i', async (further, status, param) => {
    await using gateway = await start()
    for (const path of ['/v1/responses', '/v1/responses/input_tokens']) {
      const answer = await gateway.post(path, { model: 'builtin-chat', input: 'Hi', ...further })
      expect(answer.status).toBe(status)
      expect(await answer.json()).toMatchObject({ error: { param } })
    }
  })
})

test('a conversation of another key does not exist', async () => {
  await using gateway = await start(withTwoKeys({}))
  const { conversations } = client(gateway, owner.key)
  const { id } = await conversations.create({ items: [{ ...said('Hi'), id: 'msg_1' } as never] })
  const path = `/v1/conversations/${id}`
  const body = { model: 'builtin-chat', input: 'Hi', conversation: id }
  const item = JSON.stringify({ items: [said('Ho')] })
  const answers = await Promise.all([
    gateway.request(path, stranger),
    gateway.request(path, { ...stranger, method: 'DELETE' }),
    gateway.post(path, { metadata: {} }, stranger),
    gateway.request(`${path}/items`, stranger),
    gateway.post(`${path}/items`, JSON.parse(item) as object, stranger),
    gateway.request(`${path}/items/msg_1`, stranger),
    gateway.request(`${path}/items/msg_1`, { ...stranger, method: 'DELETE' }),
    gateway.post('/v1/responses', body, stranger),
    gateway.post('/v1/responses/input_tokens', body, stranger),
  ])
  expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(404))
  expect(await textsIn(client(gateway, owner.key), id)).toEqual(['Hi'])
})

describe('limits', () => {
  test('of one conversation: the last item that fits is taken, the next refused', async () => {
    await using up = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
    await using gateway = await start({
      providers: { cerebras: { baseUrl: up.url, key: 'k' } },
      limits: { keptConversations: { items: 3 } },
    })
    const { conversations } = client(gateway)
    const { id } = await conversations.create({ items: [said('1'), said('2')] })
    await conversations.items.create(id, { items: [said('3')] })
    const full = { status: 413, code: 'conversation_full' }
    await expect(conversations.items.create(id, { items: [said('4')] })).rejects.toMatchObject(full)
    const asked = { model: 'cerebras/m', input: 'Hi', conversation: id }
    await expect(client(gateway).responses.create(asked)).rejects.toMatchObject(full)
    expect(up.seen).toEqual([])
    expect(await textsIn(client(gateway), id)).toEqual(['1', '2', '3'])
  })

  test.each([
    ['number', { count: 2 }, 'Hi'],
    ['bytes', { bytes: 2_500 }, 'x'.repeat(1_000)],
  ])('of a key, by %s: those that were used least recently are removed', async (...of) => {
    const [, keptConversations, text] = of
    await using gateway = await start({ ...withTwoKeys({}), limits: { keptConversations } })
    const { conversations } = client(gateway, owner.key)
    const other = await client(gateway, stranger.key).conversations.create()
    const create = async () => (await conversations.create({ items: [said(text)] })).id
    const first = await create()
    const second = await create()
    await conversations.items.create(first, { items: [said('.')] })
    await create()
    await expect(conversations.retrieve(second)).rejects.toMatchObject({ status: 404 })
    expect(await conversations.retrieve(first)).toMatchObject({ id: first })
    expect(await client(gateway, stranger.key).conversations.retrieve(other.id)).toBeDefined()
  })
})

test('is erased with the content of its key', async () => {
  await using gateway = await start(withTwoKeys({}))
  const owned = client(gateway, owner.key)
  const { id } = await owned.conversations.create({ items: [said('Hi')] })
  await owned.responses.create({ model: 'builtin-chat', input: 'Hi', conversation: id })
  const other = await client(gateway, stranger.key).conversations.create()
  const key = gateway.gateway.keys.find(owner.key ?? '')?.id
  const erasing = { key: adminKey }
  for (const stored of [2, 0]) {
    const erased = await gateway.post('/admin/v1/contents/erase', { key }, erasing)
    expect(await erased.json()).toEqual({ contents: 0, stored })
  }
  await expect(owned.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 })
  expect(await client(gateway, stranger.key).conversations.retrieve(other.id)).toBeDefined()
})
