// Events without data, which some servers send to keep a stream open.
import { expect, test } from 'vitest'
import { sse } from '../../support/fakes/fake-upstream.ts'
import { textStream } from '../../support/fakes/openai-wire.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

test('ignores upstream events without data', async () => {
  await using pair = await inFrontOf('openai', (_seen, response) =>
    sse(response, ['data:\n\n', 'event: ping\ndata: \n\n', ...textStream]),
  )
  const answer = await pair.gateway.post('/v1/chat/completions', {
    model: pair.model,
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
  })
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(text).toContain('data: [DONE]')
  expect(text).not.toMatch(/^data: ?$/m)
})
