import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask } from '../../support/routes.ts'
import { adminKey, start } from '../../support/start.ts'

const claudeReply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'up',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 7, output_tokens: 3 },
}

async function bothUpstreams() {
  const claude = await fakeUpstream((_seen, response) => json(response, claudeReply))
  const compatible = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  const gateway = await start({
    providers: {
      claude: { type: 'anthropic', baseUrl: claude.url, key: 'k' },
      compatible: { type: 'openai', baseUrl: compatible.url, key: 'k' },
    },
  })
  return {
    claude,
    compatible,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await claude[Symbol.asyncDispose]()
      await compatible[Symbol.asyncDispose]()
    },
  }
}

const further = { min_p: 0.1, repetition_penalty: 1.1, chat_template_kwargs: { tone: 'kind' } }

test('passes an unknown field to an upstream of the same format, and reports it as dropped otherwise', async () => {
  await using both = await bothUpstreams()
  const { gateway, compatible } = both
  const body = { ...ask, ...further, user: 'u' }
  const passed = await gateway.post('/v1/chat/completions', { model: 'compatible/m', ...body })
  expect(passed.headers.get('x-sluice-dropped')).toBeNull()
  expect(compatible.seen.map(({ body: sent }) => sent)).toMatchObject([further])
  const dropped = 'min_p, repetition_penalty, chat_template_kwargs'
  const translated = await gateway.post('/v1/chat/completions', { model: 'claude/m', ...body })
  expect(translated.status).toBe(200)
  expect(translated.headers.get('x-sluice-dropped')).toBe(dropped)
  const computed = await gateway.post('/v1/chat/completions', { model: 'builtin-chat', ...body })
  expect(computed.headers.get('x-sluice-dropped')).toBe(dropped)
})

test('names dropped fields by the paths of the caller’s format', async () => {
  await using both = await bothUpstreams()
  const { gateway, claude } = both
  const message = { max_tokens: 9, messages: ask.messages, output_format: { type: 'x' }, top_k: 4 }
  const own = await gateway.post('/v1/messages', { model: 'claude/m', ...message })
  expect(own.headers.get('x-sluice-dropped')).toBeNull()
  expect(claude.seen.map(({ body }) => body)).toMatchObject([{ output_format: { type: 'x' } }])
  const translated = await gateway.post('/v1/messages', { model: 'compatible/m', ...message })
  expect(translated.headers.get('x-sluice-dropped')).toBe('output_format')
  const response = await gateway.post('/v1/responses', {
    model: 'claude/m',
    input: 'Hello',
    max_tool_calls: 2,
    reasoning: { tone: 'kind' },
  })
  expect(response.headers.get('x-sluice-dropped')).toBe('max_tool_calls, reasoning.tone')
})

test('explain lists the dropped fields of each target', async () => {
  await using both = await bothUpstreams()
  const { gateway } = both
  const request = { model: 'claude/m', ...ask, ...further }
  const response = await gateway.post('/admin/v1/explain', { request }, { key: adminKey })
  expect(await response.json()).toMatchObject({
    targets: [
      { mode: 'translated', dropped: ['min_p', 'repetition_penalty', 'chat_template_kwargs'] },
    ],
  })
})
