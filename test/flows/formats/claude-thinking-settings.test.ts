// Thinking settings of a Messages request are converted to those that the Claude model supports.
import { expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const messages = [{ role: 'user', content: 'hi' }]
const budget = { type: 'enabled', budget_tokens: 2000 }

test.each([
  ['claude-opus-4-7', { thinking: budget }, { type: 'adaptive', display: 'summarized' }, 'low'],
  [
    'claude-opus-4-8',
    { thinking: { ...budget, display: 'omitted' }, output_config: { effort: 'max' } },
    { type: 'adaptive', display: 'omitted' },
    'max',
  ],
  ['claude-opus-4-6', { thinking: budget }, budget, undefined],
  ['claude-sonnet-5-5', { thinking: { type: 'disabled' } }, { type: 'between_tools' }, undefined],
  ['claude-opus-4-7', { thinking: { type: 'disabled' } }, { type: 'disabled' }, undefined],
  ['another-maker', { thinking: budget }, budget, undefined],
])('translates thinking for %s', async (model, fields, thinking, effort) => {
  await using pair = await inFrontOf('anthropic', (_, response) => json(response, {}), model)
  const asked = { model: pair.model, max_tokens: 4000, messages, ...fields }
  await pair.gateway.post('/v1/messages', asked)
  const { body } = pair.upstream.seen.at(-1)!
  expect(body['thinking']).toEqual(thinking)
  expect(body['output_config']).toEqual(effort === undefined ? undefined : { effort })
})

test('drops and reports disabled thinking for a model that always thinks', async () => {
  const answer = {
    type: 'message',
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const answering = (_: unknown, response: Parameters<typeof json>[0]) => json(response, answer)
  await using pair = await inFrontOf('anthropic', answering, 'claude-opus-5-5')
  const thinking = { type: 'disabled' }
  const asked = { model: pair.model, max_tokens: 4000, messages, thinking }
  const told = await pair.gateway.post('/v1/messages', asked)
  expect(told.headers.get('x-sluice-dropped')).toBe('thinking')
  expect(pair.upstream.seen.at(-1)?.body).not.toHaveProperty('thinking')
})

test('clears no thoughts of a model that does not think', async () => {
  const other = { type: 'clear_tool_uses_20250919' }
  const clearing = { type: 'clear_thinking_20251015', keep: 'all' }
  for (const [edits, kept] of [
    [[clearing], undefined],
    [[other, clearing], { edits: [other] }],
  ]) {
    const answering = (_: unknown, response: Parameters<typeof json>[0]) => json(response, {})
    await using pair = await inFrontOf('anthropic', answering, 'claude-3-5-haiku-20241022')
    const asked = { model: pair.model, max_tokens: 4000, messages, thinking: budget }
    await pair.gateway.post('/v1/messages', { ...asked, context_management: { edits } })
    const { body } = pair.upstream.seen.at(-1)!
    expect([body['thinking'], body['context_management']]).toEqual([undefined, kept])
  }
})
