// Streams with events that lack their last brace, written by a gateway in front of the upstream.
import { expect, test } from 'vitest'
import { ask, faces, told } from '../../support/clients/client-formats.ts'
import { sse } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const head = { id: 'resp_1', object: 'response', created_at: 1_760_000_000, model: 'm' }
const item = { type: 'message', id: 'msg_1', role: 'assistant' }
const content = [{ type: 'output_text', text: 'It is {"noon"}.', annotations: [] }]
const output = [{ ...item, status: 'completed', content }]
const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 }

const events = [
  { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...item, status: 'in_progress', content: [] },
  },
  {
    type: 'response.output_text.delta',
    output_index: 0,
    content_index: 0,
    item_id: 'msg_1',
    delta: 'It is {"noon"}.',
  },
  { type: 'response.output_item.done', output_index: 0, item: output[0] },
  { type: 'response.completed', response: { ...head, status: 'completed', output, usage } },
].map((event, index) => ({
  type: event.type,
  data: JSON.stringify({ sequence_number: index, ...event }),
}))

const written = (cut: (data: string, index: number) => string): readonly string[] =>
  events.map(({ type, data }, index) => `event: ${type}\ndata: ${cut(data, index)}\n\n`)

test.each(faces)('%s: repairs an upstream event that lacks its last brace', async (face) => {
  const broken = written((data, index) => (index === 0 || index === 4 ? data.slice(0, -1) : data))
  await using stage = await inFrontOf('openai-responses', (_seen, response) =>
    sse(response, broken),
  )
  const { status, wire } = await ask(stage, face, { stream: true, further: { tools: undefined } })
  expect(status, wire).toBe(200)
  expect(told(face, wire, true).text).toBe('It is {"noon"}.')
})

test.each(faces)('%s: rejects an upstream event that lacks two braces', async (face) => {
  const broken = written((data, index) => (index === 0 ? data.slice(0, -2) : data))
  await using stage = await inFrontOf('openai-responses', (_seen, response) =>
    sse(response, broken),
  )
  const { status } = await ask(stage, face, { stream: true, further: { tools: undefined } })
  expect(status).toBeGreaterThanOrEqual(500)
})
