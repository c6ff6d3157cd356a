// Compaction of long conversations: `/v1/responses/compact`, and the item with the same effect in `/v1/responses`, as
// Codex sends it.
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import {
  answerMessage,
  anthropicMessage,
  textBlock,
  toolUse,
} from '../../support/fakes/anthropic-wire.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'
import { owner, stranger, withTwoKeys } from '../../support/gateways/two-keys.ts'
import { records } from '../../support/measures/usage-records.ts'
import { type Started, start, testKey } from '../../support/start.ts'

const summary = 'The user wants a.txt shortened; it was read; one word is left to change.'

const user = (text: string) => ({ role: 'user' as const, content: text })
const instructions = 'You are a coding agent.'
const tool = {
  type: 'function' as const,
  name: 'read_file',
  strict: false,
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}
const conversation = [
  user('Shorten a.txt.'),
  {
    type: 'reasoning' as const,
    id: 'rs_1',
    summary: [{ type: 'summary_text' as const, text: 'Read it.' }],
  },
  {
    type: 'function_call' as const,
    call_id: 'call_1',
    name: 'read_file',
    arguments: '{"path":"a.txt"}',
  },
  { type: 'function_call_output' as const, call_id: 'call_1', output: 'one two three' },
  { role: 'assistant' as const, content: 'I have read it.' },
  user('Keep two words.'),
]
const kept = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Shorten a.txt.' }] },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Keep two words.' }] },
]
const packed = { type: 'compaction', encrypted_content: expect.stringMatching(/^sluice\./) }

/** Claude, which sums up where it is asked to and else says what it was told first. */
const claude = () =>
  inFrontOf('anthropic', (seen, response) => {
    const asked = JSON.stringify((seen.body['messages'] as object[]).at(-1))
    return answerMessage(
      seen,
      response,
      anthropicMessage([textBlock(asked.includes('replaced by a summary') ? summary : 'Done.')]),
    )
  })

const sdk = ({ url }: Started) =>
  new OpenAI({ apiKey: testKey, baseURL: `${url}/v1`, maxRetries: 0 })

const turnsOf = ({ seen }: FakeUpstream) =>
  seen.at(-1)!.body['messages'] as readonly { role: string; content: unknown }[]

async function errorOf(response: Response) {
  return [response.status, ((await response.json()) as { error: { param: string } }).error.param]
}

describe('compaction at a target of another maker', () => {
  test('keeps the user’s messages and replaces the rest with a summary that the next request reads', async () => {
    await using stage = await claude()
    const client = sdk(stage.gateway)
    const byCodex = { tools: [tool], text: { format: { type: 'json_object' } } }
    const asked = { model: stage.model, instructions, input: conversation, ...byCodex }
    const compacted = await client.responses.compact(asked)
    expect(compacted).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: 'response.compaction',
      created_at: expect.any(Number),
      output: [...kept, packed],
      usage: { total_tokens: expect.any(Number) },
    })
    expect(compacted.output.every((item) => 'id' in item)).toBe(true)
    expect(stage.upstream.seen[0]!.body).toMatchObject({
      system: [{ text: instructions }],
      tools: [{ name: 'read_file' }],
      tool_choice: { type: 'none' },
    })
    expect(JSON.stringify(stage.upstream.seen[0]!.body)).not.toContain('json')

    const input = [...compacted.output, user('Go on.')] as OpenAI.Responses.ResponseInput
    const next = await client.responses.create({ model: stage.model, input, store: false })
    expect(next.output_text).toBe('Done.')
    const told = JSON.stringify(turnsOf(stage.upstream))
    expect(told).toContain(summary)
    expect(told).not.toContain('one two three')

    const again = await client.responses.compact({ model: stage.model, input })
    expect(again.output).toMatchObject([...kept, { role: 'user' }, packed])
    expect(JSON.stringify(turnsOf(stage.upstream))).toContain(summary)
    expect(await records(stage.gateway)).toHaveLength(3)
  })

  test.each([false, true])(
    'answers a compaction trigger with one compaction item, streamed: %s',
    async (stream) => {
      await using stage = await claude()
      const client = sdk(stage.gateway)
      const input = [...conversation, { type: 'compaction_trigger' }] as never
      const request = { model: stage.model, input, tools: [tool], store: false }
      const done: unknown[] = []
      let response: OpenAI.Responses.Response | undefined
      if (stream)
        for await (const event of await client.responses.create({ ...request, stream })) {
          if (event.type === 'response.output_item.done') done.push(event.item)
          if (event.type === 'response.completed') response = event.response
        }
      else response = await client.responses.create(request)
      expect(response).toMatchObject({ status: 'completed', output: [packed] })
      if (stream) expect(done).toEqual(response!.output)
      expect(await records(stage.gateway)).toEqual([expect.stringContaining('up chat completed')])
    },
  )

  test('continues a stored conversation from its compaction', async () => {
    await using stage = await claude()
    const client = sdk(stage.gateway)
    const { model } = stage
    const first = await client.responses.create({ model, input: 'Remember PINEAPPLE.' })
    const byId = { model, previous_response_id: first.id }
    const compacted = await client.responses.compact(byId)
    expect(compacted.output).toMatchObject([{ role: 'user' }, packed])
    const second = await client.responses.create({
      ...byId,
      input: [{ type: 'compaction_trigger' }] as never,
    })
    await client.responses.create({ model, previous_response_id: second.id, input: 'Go on.' })
    const told = JSON.stringify(turnsOf(stage.upstream))
    expect(told).toContain(summary)
    expect(told).not.toContain('PINEAPPLE')
  })

  test('accepts a trigger only at the end of the input, and rejects a foreign compaction item', async () => {
    await using stage = await claude()
    const post = (path: string, input: unknown) =>
      stage.gateway.post(path, { model: stage.model, input })
    const foreign = [user('Hi'), { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAB' }]
    for (const path of ['/v1/responses', '/v1/responses/compact'])
      expect(await errorOf(await post(path, foreign))).toEqual([400, 'input[1].encrypted_content'])
    const early = await post('/v1/responses', [{ type: 'compaction_trigger' }, user('Hi')])
    expect(await errorOf(early)).toEqual([400, 'input[0]'])
    const unknown = await stage.gateway.post('/v1/responses/compact', {
      model: stage.model,
      previous_response_id: 'resp_of_nobody',
    })
    expect(await errorOf(unknown)).toEqual([400, 'previous_response_id'])
    expect(stage.upstream.seen).toEqual([])
  })

  test.each([
    ['a tool call', anthropicMessage([toolUse('toolu_1', 'read_file', {})])],
    ['a truncated text', { ...anthropicMessage([textBlock('The us')]), stop_reason: 'max_tokens' }],
  ])('fails when the model answers with %s in place of a summary', async (_name, message) => {
    await using stage = await inFrontOf('anthropic', (seen, response) =>
      answerMessage(seen, response, message as ReturnType<typeof anthropicMessage>),
    )
    const body = { model: stage.model, input: conversation, tools: [tool] }
    const response = await stage.gateway.post('/v1/responses/compact', body)
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error: { type: 'upstream_error', message: expect.stringContaining('summary') } },
    ])
    expect(await records(stage.gateway)).toHaveLength(1)
  })
})

test('the built-in model compacts a conversation', async () => {
  await using gateway = await start()
  const { output } = await sdk(gateway).responses.compact({
    model: 'builtin-chat',
    input: 'Hello!',
  })
  expect(output).toMatchObject([{ type: 'message', role: 'user' }, packed])
  expect(await records(gateway)).toEqual([expect.stringContaining('builtin chat completed')])
})

describe('compaction at a target that speaks the Responses API', () => {
  const own = {
    id: 'resp_u',
    object: 'response.compaction',
    created_at: 1,
    output: [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAB' }],
    usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
  }

  test('passes bytes through, and no response id of another key', async () => {
    await using native = await fakeUpstream((seen, response) =>
      seen.path.endsWith('/responses')
        ? json(response, { ...own, id: 'resp_1', object: 'response', status: 'completed' })
        : json(response, own),
    )
    await using gateway = await start(withTwoKeys({ native }))
    const body = `{ "model":"native/m","input" : [{"type":"compaction","id":"cmp_0","encrypted_content":"gAAA"}],"x":1.0}`
    const response = await gateway.request('/v1/responses/compact', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      ...owner,
    })
    expect([response.status, await response.json()]).toEqual([200, own])
    expect(native.seen[0]).toMatchObject({
      path: '/v1/responses/compact',
      text: body.replace('native/m', 'm'),
    })
    expect(await records(gateway)).toEqual(['native chat completed 7'])

    const made = await gateway.post('/v1/responses', { model: 'native/m', input: 'Hi' }, owner)
    expect(made.status).toBe(200)
    const compact = async (further: object, key: typeof owner) =>
      errorOf(
        await gateway.post('/v1/responses/compact', { model: 'native/m', ...further }, key),
      ).catch(() => 'answered')
    const continued = { previous_response_id: 'resp_1' }
    const reference = { input: [{ type: 'item_reference', id: 'cmp_1' }, user('Go on.')] }
    expect(await compact(continued, stranger)).toEqual([400, 'previous_response_id'])
    expect(await compact(reference, stranger)).toEqual([400, 'input[0].id'])
    expect(native.seen).toHaveLength(2)
    expect(await compact(continued, owner)).toBe('answered')
    expect(native.seen.at(-1)!.body).toEqual({ model: 'm', ...continued })
  })

  test('asks for a summary when the target lacks the compact endpoint', async () => {
    await using stage = await inFrontOf('openai', (seen, response) =>
      seen.path.endsWith('/chat/completions')
        ? json(response, chatReply(summary))
        : json(response, { detail: 'Not Found' }, { status: 404 }),
    )
    const body = { model: stage.model, input: conversation }
    const response = await stage.gateway.post('/v1/responses/compact', body)
    expect(await response.json()).toMatchObject({ output: [...kept, packed] })
    expect(stage.upstream.seen.map(({ path }) => path)).toEqual([
      '/v1/responses/compact',
      '/v1/chat/completions',
    ])
  })

  test('passes through a second gateway, which reads its own compaction items', async () => {
    await using inner = await claude()
    await using outer = await start({
      providers: {
        inner: { type: 'openai', baseUrl: `${inner.gateway.url}/v1`, key: testKey },
      },
    })
    const model = `inner/${inner.model}`
    const client = sdk(outer)
    const compacted = await client.responses.compact({ model, input: conversation })
    expect(compacted.output).toMatchObject([...kept, packed])
    const input = [...compacted.output, user('Go on.')] as OpenAI.Responses.ResponseInput
    expect((await client.responses.create({ model, input })).output_text).toBe('Done.')
    expect(JSON.stringify(turnsOf(inner.upstream))).toContain(summary)
    expect(await records(outer)).toHaveLength(2)
    expect(await records(inner.gateway)).toHaveLength(2)
  })
})
