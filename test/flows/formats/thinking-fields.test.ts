// Chat requests that set the amount of thinking with OpenRouter's or Anthropic's fields.
import { expect, test } from 'vitest'
import { inFrontOf, through } from '../../support/gateways/scripted-gateway.ts'
import { good } from '../../support/routes.ts'

const path = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'Hi' }]
/** A server of one's own gets the fields as they are, for other models than OpenAI's. */
const models: Partial<Record<Parameters<typeof through>[0], string>> = { openai: 'gpt-5' }
const script = () => ({ thinking: 'Hmm.', text: 'Hello!' })

test.each([
  [
    'anthropic',
    { reasoning: { max_tokens: 2000 } },
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
  ],
  ['anthropic', { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
  [
    'gemini',
    { reasoning: { effort: 'low' } },
    { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } },
  ],
  ['openai', { reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }],
  ['openai', { thinking: { type: 'enabled', budget_tokens: 2000 } }, { reasoning_effort: 'low' }],
] as const)('%s: sends %j as %j', async (maker, fields, sent) => {
  await using stage = await through(maker, script, models[maker])
  const response = await stage.gateway.post(path, { model: stage.model, messages, ...fields })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-sluice-dropped')).toBeNull()
  const { body } = stage.upstream.seen[0]!
  expect(body).toMatchObject(sent)
  for (const name of Object.keys(fields)) if (!(name in sent)) expect(body).not.toHaveProperty(name)
})

test.each(['anthropic', 'gemini', 'openai'] as const)(
  '%s: drops reasoning from the answer with exclude: true',
  async (maker) => {
    await using stage = await through(maker, script, models[maker])
    const asked = { model: stage.model, messages }
    const shown = { ...asked, reasoning: { effort: 'low' } }
    const hidden = { ...asked, reasoning: { effort: 'low', exclude: true } }
    const whole = async (body: object) => (await stage.gateway.post(path, body)).text()
    const streamed = (body: object) => whole({ ...body, stream: true })
    for (const ask of [whole, streamed]) {
      expect(await ask(shown)).toContain('Hmm.')
      const answer = await ask(hidden)
      expect(answer).toContain('Hello')
      expect(answer).not.toMatch(/Hmm|reasoning_content|thinking_blocks/)
    }
  },
)

test('drops and reports the effort for a model that does not reason', async () => {
  await using stage = await inFrontOf('openai', good, 'gpt-4.1')
  const asked = { model: stage.model, messages, reasoning: { effort: 'high' } }
  const response = await stage.gateway.post(path, asked)
  expect(response.status).toBe(200)
  expect(response.headers.get('x-sluice-dropped')).toBe('reasoning.effort')
  expect(Object.keys(stage.upstream.seen[0]!.body).toSorted()).toEqual(['messages', 'model'])
})
