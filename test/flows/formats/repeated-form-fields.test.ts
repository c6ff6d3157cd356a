// A field of a form that nobody knows and that is repeated is a list, of which nothing is lost.
import { expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

test.each(['extra', 'extra[]'])('%s reaches the upstream as often as it was sent', async (name) => {
  await using stage = await inFrontOf('openai', (_seen, response) => json(response, { text: 'Hi' }))
  const form = new FormData()
  form.append('model', stage.model)
  form.append('file', new Blob(['RIFF'], { type: 'audio/wav' }), 'a.wav')
  form.append(name, 'one')
  form.append(name, 'two')
  const answer = await stage.gateway.request('/v1/audio/transcriptions', {
    method: 'POST',
    body: form,
  })
  expect(answer.status).toBe(200)
  const sent = stage.upstream.seen[0]?.text ?? ''
  expect(sent.match(/name="extra\[\]"\s+(?:one|two)/g)).toHaveLength(2)
})
