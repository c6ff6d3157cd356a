// Responses in the background are complete, with their usage, only after their call has ended.
import { expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const answer = {
  id: 'resp_up1',
  object: 'response',
  status: 'queued',
  background: true,
  output: [],
}

test.each(['openai', 'openai-responses', 'anthropic'] as const)(
  'rejects background responses and names the field, in front of %s',
  async (type) => {
    await using pair = await inFrontOf(type, (_seen, response) => json(response, answer))
    const ask = (background: unknown) =>
      pair.gateway.post('/v1/responses', { model: pair.model, input: 'Hi', background })
    const refused = await ask(true)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { param: 'background' } })
    expect(pair.upstream.seen).toHaveLength(0)
    await ask(false)
    expect(pair.upstream.seen).toHaveLength(1)
  },
)
