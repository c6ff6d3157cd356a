// Messages and Responses passed on to models that reject sampling parameters which other models accept.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf, type Through } from '../../support/gateways/scripted-gateway.ts'

const hidden = { betas: [1, { temperature: 0.5 }], big: 2 ** 60 }

describe('Messages at Anthropic', () => {
  let stage: Through
  beforeEach(async () => {
    stage = await inFrontOf('anthropic', (seen, response) =>
      answerMessage(seen, response, anthropicMessage([textBlock('Hello')])),
    )
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  const sentOf = sender(() => stage, '/v1/messages', {
    max_tokens: 4000,
    messages: [{ role: 'user', content: 'Hi' }],
  })

  test.each([
    ['claude-opus-4-7', { temperature: 0.2, ...hidden }, hidden, 'temperature'],
    [
      'claude-sonnet-5',
      { temperature: 0.2, top_p: 0.9, top_k: 5 },
      {},
      'temperature, top_p, top_k',
    ],
    ['claude-sonnet-5', { temperature: 0.2, stream: true }, { stream: true }, 'temperature'],
    ['claude-sonnet-4-5', { temperature: 0.2, top_p: 0.9 }, { temperature: 0.2 }, 'top_p'],
    ['claude-sonnet-4-5', { temperature: 1, top_p: 0.9 }, { top_p: 0.9 }, 'temperature'],
    [
      'claude-sonnet-4',
      { temperature: 0.2, thinking: { type: 'enabled', budget_tokens: 2000 } },
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
      'temperature',
    ],
  ])('%s: sends %j as %j, dropping %s', async (model, fields, sent, dropped) => {
    expect(await sentOf(model, fields)).toEqual({ status: 200, sent, dropped })
  })

  test.each([
    ['claude-opus-4-7', { temperature: 1, ...hidden }],
    ['claude-sonnet-4-5', { temperature: 0.2, top_k: 5, ...hidden }],
    ['claude-sonnet-4', { temperature: 0.2, top_p: 0.9, ...hidden }],
    ['kimi-k2', { temperature: 0.2, top_p: 0.9, thinking: { type: 'enabled' } }],
  ])('%s: sends %j unchanged', async (model, fields) => {
    expect(await sentOf(model, fields)).toEqual({ status: 200, sent: fields, dropped: null })
  })

  test('rejects an unsupported field by name if nothing may be dropped', async () => {
    const response = await stage.gateway.post(
      '/v1/messages',
      {
        model: 'up/claude-opus-4-7',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'Hi' }],
        temperature: 0.2,
      },
      { headers: { 'x-sluice-unsupported': 'refuse' } },
    )
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('temperature')
    expect(stage.upstream.seen).toEqual([])
  })
})

describe('Responses at OpenAI', () => {
  let stage: Through
  beforeEach(async () => {
    stage = await inFrontOf('openai-responses', (_seen, response) =>
      json(response, {
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        output: [],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      }),
    )
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  const sentOf = sender(() => stage, '/v1/responses', { input: 'Hi' })

  test.each([
    ['o3', { temperature: 0.2, top_p: 0.9, ...hidden }, hidden, 'temperature, top_p'],
    ['gpt-5-mini', { top_p: 0.9, background: false }, { background: false }, 'top_p'],
    [
      'gpt-5.2',
      { temperature: 0.2, reasoning: { effort: 'high' } },
      { reasoning: { effort: 'high' } },
      'temperature',
    ],
  ])('%s: sends %j as %j, dropping %s', async (model, fields, sent, dropped) => {
    expect(await sentOf(model, fields)).toEqual({ status: 200, sent, dropped })
  })

  test.each([
    ['o3', { temperature: 1, ...hidden }],
    ['gpt-4.1', { temperature: 0.2, ...hidden }],
    ['gpt-5.2', { temperature: 0.2, ...hidden }],
  ])('%s: sends %j unchanged', async (model, fields) => {
    expect(await sentOf(model, fields)).toEqual({ status: 200, sent: fields, dropped: null })
  })
})

/** Asks for a model with further fields, and says which of them the upstream has seen. */
function sender(stageOf: () => Through, path: string, base: object) {
  return async (model: string, fields: object) => {
    const { gateway, upstream } = stageOf()
    const response = await gateway.post(path, { model: `up/${model}`, ...base, ...fields })
    await response.text()
    const own = new Set(['model', ...Object.keys(base)])
    const sent = Object.entries(upstream.seen.at(-1)?.body ?? {}).filter(([name]) => !own.has(name))
    return {
      status: response.status,
      sent: Object.fromEntries(sent),
      dropped: response.headers.get('x-sluice-dropped'),
    }
  }
}
