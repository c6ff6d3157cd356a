// The error for an unknown model name says how to enable it, or suggests a similar name.
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { ask, at, type Routes } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

const lists = () =>
  fakeUpstream((_seen, response) => json(response, { data: [{ id: 'acme-large-2026' }] }))

interface Asked {
  readonly model: string
  readonly message: string | RegExp
  readonly settings?: Routes
}

const cases: readonly Asked[] = [
  {
    model: 'openai/gpt-4o',
    message: 'The model "openai/gpt-4o" does not exist. openai is off: set OPENAI_API_KEY',
  },
  {
    model: 'azure-openai/x',
    message: /azure-openai is off: set AZURE_OPENAI_API_KEY or AZURE_API_KEY$/,
  },
  {
    model: 'ollama/llama3',
    message: /ollama is off: add providers\.ollama to sluice\.yaml, or run/,
  },
  {
    model: 'groq/x',
    settings: { providers: { groq: { enabled: false } } },
    message: /groq is off: providers\.groq\.enabled is false$/,
  },
  {
    model: 'mine/x',
    settings: { providers: { mine: { kind: 'mistral' } } },
    message: /mine is off: set MISTRAL_API_KEY, or providers\.mine\.key$/,
  },
  {
    model: 'house',
    settings: { models: { house: 'anthropic/claude' } },
    message: /anthropic is off: set ANTHROPIC_API_KEY$/,
  },
  { model: 'openia/gpt-4o', message: /No provider has the name openia\. Did you mean "openai"\?$/ },
  { model: 'builtin-chta', message: /Did you mean "builtin-chat"\?$/ },
  { model: 'GPT-4o', message: /Did you mean "gpt-4o"\?$/ },
  { model: 'hous', settings: { models: { house: 'builtin/builtin-chat' } }, message: /"house"\?$/ },
  { model: 'nothing-like-any', message: 'The model "nothing-like-any" does not exist' },
]

describe('the 404 for an unknown model explains', () => {
  test.each(cases)('$model', async ({ model, message, settings }) => {
    await using gateway = await start(settings)
    const response = await gateway.post('/v1/chat/completions', { model, ...ask })
    expect(response.status).toBe(404)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect(error.code).toBe('model_not_found')
    if (typeof message === 'string') expect(error.message).toBe(message)
    else expect(error.message).toMatch(message)
  })

  test('an alias that is off because a provider is connected', async () => {
    await using acme = await lists()
    await using gateway = await start(at({ acme }))
    const told = async (model: string) => {
      const response = await gateway.post('/v1/chat/completions', { model, ...ask })
      return `${response.status} ${((await response.json()) as { error: { message: string } }).error.message}`
    }
    expect(await told('gpt-4o')).toBe(
      '404 The model "gpt-4o" does not exist. The built-in engine does not serve it, because a provider is ' +
        'configured: use provider/gpt-4o, or add gpt-4o to models in sluice.yaml',
    )
    expect(await told('acme-larg-2026')).toMatch(/Did you mean "acme-large-2026"\?$/)
  })

  test('and suggests only models that the key may use', async () => {
    const key = 'sk-limited-0123456789'
    await using gateway = await start({
      models: { house: 'builtin/builtin-chat' },
      keys: [{ name: 'limited', key, models: ['hous', 'other'] }],
    })
    const response = await gateway.post('/v1/chat/completions', { model: 'hous', ...ask }, { key })
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('Did you mean')
  })

  test('and suggests a similar name for /v1/models/{id}, too', async () => {
    await using gateway = await start()
    const response = await gateway.request('/v1/models/builtin-chta')
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('Did you mean \\"builtin-chat\\"?')
  })
})
