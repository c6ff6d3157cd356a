// Calls of tools without parameters where bytes pass: `null` and nothing at all are `{}`, in answers, streams and histories.
import { expect, test } from 'vitest'
import { json, sse } from '../support/fake-upstream.ts'
import { chatReply, chunk, done } from '../support/openai-wire.ts'
import { inFrontOf } from '../support/through.ts'

const user = { role: 'user', content: 'What time is it? "arguments":"null" stays.' }
const tools = [{ type: 'function', function: { name: 'now' } }]
const call = (text: string) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'now', arguments: text },
})

test.each(['null', '', ' null '])('of an answer: "%s"', async (text) => {
  const reply = {
    ...chatReply(''),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, tool_calls: [call(text)] },
        finish_reason: 'tool_calls',
        own: 'kept',
      },
    ],
  }
  await using pair = await inFrontOf('openai', (_, response) => json(response, reply))
  const answer = await pair.gateway.post('/v1/chat/completions', {
    model: pair.model,
    messages: [user],
    tools,
  })
  expect(await answer.json()).toMatchObject({
    choices: [{ message: { tool_calls: [call('{}')] }, own: 'kept' }],
  })
})

test.each([[['null']], [['', 'nu', 'll']], [['']], [['', '{"a":', '1}']], [['{"a":null}']]])(
  'of a stream: %j',
  async (pieces) => {
    const [first = '', ...rest] = pieces
    const events = [
      chunk({ role: 'assistant', tool_calls: [{ index: 0, ...call(first) }] }),
      ...rest.map((text) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
      chunk({}, 'tool_calls'),
      done,
    ]
    await using pair = await inFrontOf('openai', (_, response) => sse(response, events))
    const answer = await pair.gateway.post('/v1/chat/completions', {
      model: pair.model,
      messages: [user],
      tools,
      stream: true,
    })
    const said = (await answer.text())
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .flatMap((line) => JSON.parse(line.slice(6)).choices[0]?.delta.tool_calls ?? [])
      .map((piece) => piece.function.arguments)
      .join('')
    const whole = pieces.join('')
    expect(said).toBe(whole.startsWith('{') ? whole : '{}')
  },
)

test.each(['null', ''])('of a history: "%s", whose other bytes stay', async (text) => {
  await using pair = await inFrontOf('openai', (_, response) => json(response, chatReply('Noon.')))
  const body = {
    model: pair.model,
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [call(text)] },
      { role: 'tool', tool_call_id: 'call_1', content: '12:00' },
    ],
    tools,
    own_field: [1.0],
  }
  await pair.gateway.post('/v1/chat/completions', body)
  const { text: seen } = pair.upstream.seen.at(-1)!
  const expected = { ...body, model: 'm' }
  expected.messages[1] = { role: 'assistant', content: null, tool_calls: [call('{}')] } as never
  expect(seen).toBe(JSON.stringify(expected))
})

test('what a limit has cut before its arguments is left as it is', async () => {
  const events = [
    chunk({ role: 'assistant', tool_calls: [{ index: 0, ...call('') }] }),
    chunk({}, 'length'),
    done,
  ]
  await using pair = await inFrontOf('openai', (_, response) => sse(response, events))
  const answer = await pair.gateway.post('/v1/chat/completions', {
    model: pair.model,
    messages: [user],
    tools,
    stream: true,
  })
  expect(await answer.text()).not.toContain('{}"')
})
