// Calls of tools without parameters in passed bytes: `null` and empty arguments become `{}`, in answers, streams and
// histories.
import { describe, expect, test } from 'vitest'
import { json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done } from '../../support/fakes/openai-wire.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const user = { role: 'user', content: 'What time is it? "arguments":"null" stays.' }
/** Where it is not needed, long text is left unread. */
const longText = 'Noon or "later" … '.repeat(200)
const tools = [{ type: 'function', function: { name: 'now' } }]
const call = (text: string) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'now', arguments: text },
})

test.each(['null', '', ' null '])(
  'sends {} as empty tool arguments of an answer: "%s"',
  async (text) => {
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
  },
)

test('sends {} as empty tool arguments of an answer with a long text', async () => {
  const reply = chatReply('')
  const said = { role: 'assistant', content: longText, tool_calls: [call('')] }
  const choices = [{ index: 0, message: said, finish_reason: 'tool_calls' }]
  await using pair = await inFrontOf('openai', (_, response) =>
    json(response, { ...reply, choices }),
  )
  const body = { model: pair.model, messages: [user], tools }
  const answer = await pair.gateway.post('/v1/chat/completions', body)
  const message = { ...said, tool_calls: [call('{}')] }
  expect(await answer.json()).toEqual({ ...reply, choices: [{ ...choices[0], message }] })
})

test.each([[['null']], [['', 'nu', 'll']], [['']], [['', '{"a":', '1}']], [['{"a":null}']]])(
  'completes streamed tool arguments: %j',
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

test.each(['null', ''])(
  'sends {} as empty tool arguments of a history and keeps all other bytes: "%s"',
  async (text) => {
    await using pair = await inFrontOf('openai', (_, response) =>
      json(response, chatReply('Noon.')),
    )
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
  },
)

test('leaves a call without arguments that was cut by the length limit', async () => {
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

describe('empty tool arguments in Responses', () => {
  const item = (text: string, status = 'completed') => ({
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'now',
    arguments: text,
    status,
  })
  const response = (...output: object[]) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  })
  const said = (body: { readonly output: readonly { readonly arguments: string }[] }) =>
    body.output.map((one) => one.arguments)

  test.each(['null', '', ' null '])('become {} in an answer and a history: "%s"', async (text) => {
    await using pair = await inFrontOf('openai', (_, reply) => json(reply, response(item(text))))
    const body = {
      model: pair.model,
      input: [
        { role: 'user', content: 'What time is it? "arguments":"null" stays.' },
        item(text),
        { type: 'function_call_output', call_id: 'call_1', output: '12:00' },
      ],
    }
    const answer = await pair.gateway.post('/v1/responses', body)
    expect(said((await answer.json()) as never)).toEqual(['{}'])
    expect(pair.upstream.seen.at(-1)?.path).toBe('/v1/responses')
    expect(pair.upstream.seen.at(-1)?.body['input']).toEqual([
      body.input[0],
      item('{}'),
      body.input[2],
    ])
  })

  test.each([
    ['completed', null],
    ['failed', { code: 'server_error', message: 'sk-of-the-upstream is no key' }],
  ])('become {} in an answer with a long text: %s', async (status, error) => {
    const text = { type: 'message', content: [{ type: 'output_text', text: longText }] }
    const whole = { ...response(text, item('')), status, error }
    await using pair = await inFrontOf('openai', (_, reply) => json(reply, whole))
    const asked = { model: pair.model, input: 'What time is it?' }
    const answer = await pair.gateway.post('/v1/responses', asked)
    const { id: _id, ...came } = (await answer.json()) as { id: string }
    const { id: _own, ...expected } = { ...whole, output: [text, item('{}')] }
    expect(came).toEqual({
      ...expected,
      error: error && { ...error, message: '*** is no key' },
    })
  })

  test.each([[['null']], [['nu', 'll']], [[]], [['{"a":', '1}']], [['n', 'o']]])(
    'are completed in a stream: %j',
    async (pieces) => {
      const text = pieces.join('')
      const at = { item_id: 'fc_1', output_index: 0 }
      const kind = 'response.function_call_arguments'
      const events = [
        { type: 'response.created', response: response() },
        { type: 'response.output_item.added', output_index: 0, item: item('', 'in_progress') },
        ...pieces.map((delta) => ({ type: `${kind}.delta`, ...at, delta })),
        { type: `${kind}.done`, ...at, arguments: text },
        { type: 'response.output_item.done', output_index: 0, item: item(text) },
        { type: 'response.completed', response: response(item(text)) },
      ].map((event, index) => ({ ...event, sequence_number: index }))
      await using pair = await inFrontOf('openai', (_, reply) => sse(reply, events))
      const asked = { model: pair.model, input: 'What time is it?', stream: true }
      const answer = await pair.gateway.post('/v1/responses', asked)
      const came = (await answer.text())
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)))
      const whole = text === '' || text === 'null' ? '{}' : text
      const deltas = came.filter(({ type }) => type === `${kind}.delta`).map(({ delta }) => delta)
      expect(deltas.join('')).toBe(whole === '{}' ? '' : whole)
      expect(came.find(({ type }) => type === `${kind}.done`)).toMatchObject({ arguments: whole })
      expect(came.at(-2).item).toMatchObject({ arguments: whole })
      expect(said(came.at(-1).response)).toEqual([whole])
    },
  )
})
