// Calls without results, messages between a call and its result, and conversations that end with a message of the
// assistant. No upstream accepts them as they are; the caller is told what was changed.
import { describe, expect, test } from 'vitest'
import { ask, chatOnly } from '../../support/clients/client-formats.ts'
import { makers, type Script } from '../../support/fakes/scripted-models.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const script: Script = () => ({ text: 'Hi' })
const call = (id: string) => ({ id, type: 'function', function: { name: 'now', arguments: '{}' } })
const asked = { role: 'user', content: 'What time is it?' }
const brokenIn = [
  asked,
  { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
  { role: 'user', content: 'Wait.' },
  { role: 'tool', tool_call_id: 'b', content: 'Noon.' },
]

async function seenBy(type: 'anthropic' | 'openai', further: object) {
  const model = type === 'anthropic' ? 'claude-opus-4-8' : makers[type].model
  const answering = makers[type].answering(script)
  await using pair = await inFrontOf(
    type,
    type === 'openai' ? chatOnly(answering) : answering,
    model,
  )
  const { headers } = await ask(pair, 'chat', {
    stream: false,
    further: { top_k: 3, ...further },
  })
  const [seen] = pair.upstream.seen
  return {
    dropped: headers.get('x-sluice-dropped'),
    messages: (seen?.body['messages'] ?? []) as readonly Readonly<Record<string, unknown>>[],
  }
}

describe('a tool call without a result', () => {
  test('gets a placeholder result, and results are moved behind their calls', async () => {
    const { messages, dropped } = await seenBy('openai', { messages: brokenIn })
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', asked.content],
      ['assistant', null],
      ['tool', 'No result was given.'],
      ['tool', 'Noon.'],
      ['user', 'Wait.'],
    ])
    expect(dropped?.split(', ')).toContain('messages[1].tool_calls[0]')
    expect(dropped).not.toContain('tool_calls[1]')
  })

  test('is rejected if nothing may be changed', async () => {
    await using pair = await inFrontOf('anthropic', makers.anthropic.answering(script))
    const refused = await pair.gateway.post(
      '/v1/chat/completions',
      { model: pair.model, messages: brokenIn },
      { headers: { 'x-sluice-unsupported': 'refuse' } },
    )
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: { param: 'messages[1].tool_calls[0]' },
    })
    expect(pair.upstream.seen).toEqual([])
  })
})

test('names dropped fields behind a moved result by the caller’s paths', async () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const part = { ...picture, image_url: { ...picture.image_url, detail: 'high' } }
  const late = brokenIn.map((message) =>
    message.content === 'Wait.' ? { ...message, content: [part] } : message,
  )
  const { dropped } = await seenBy('anthropic', { messages: late })
  expect(dropped).toContain('messages[2].content[0].image_url.detail')
})

test('appends a user message after a final assistant message for models without prefill, and reports it', async () => {
  const last = { role: 'assistant', content: 'The maximum number of steps is reached.' }
  const { messages, dropped } = await seenBy('anthropic', { messages: [asked, last] })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(dropped).toContain('messages[1]')
})

test('keeps a final assistant message for models with prefill', async () => {
  await using pair = await inFrontOf(
    'anthropic',
    makers.anthropic.answering(script),
    'claude-sonnet-4-5',
  )
  const last = { role: 'assistant', content: 'The time is' }
  const { headers } = await ask(pair, 'chat', {
    stream: false,
    further: { messages: [asked, last] },
  })
  expect(headers.get('x-sluice-dropped') ?? '').not.toContain('messages')
  expect((pair.upstream.seen[0]?.body['messages'] as readonly unknown[]).length).toBe(2)
})
