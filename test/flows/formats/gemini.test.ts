import { type Content, GoogleGenAI } from '@google/genai'
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { start, testKey } from '../../support/start.ts'

const hello = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }

function fragment(text: string, finishReason?: string): object {
  const content = { role: 'model', parts: [{ text }] }
  return {
    candidates: [{ content, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  }
}

test('passes Gemini’s JSON array unchanged, and completes it with an error when the stream breaks', async () => {
  const pieces = [
    `[${JSON.stringify(fragment('Hel'))}`,
    `\n,\r\n${JSON.stringify(fragment('lo', 'STOP'))}`,
    '\n]\n',
  ]
  let cut = false
  await using upstream = await fakeUpstream((_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' })
    for (const piece of cut ? pieces.slice(0, 1) : pieces) response.write(piece)
    response.end()
  })
  await using gateway = await start({
    providers: { mine: { type: 'gemini', baseUrl: upstream.url, key: 'secret' } },
  })
  const body = {
    ...hello,
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' }],
  }
  const path = '/v1beta/models/mine%2Fgemini-2.5-flash:streamGenerateContent'
  const whole = await gateway.post(path, body)
  expect(whole.headers.get('content-type')).toContain('application/json')
  expect(await whole.text()).toBe(pieces.join(''))
  expect(upstream.seen[0]).toMatchObject({
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    text: JSON.stringify(body),
  })
  expect(upstream.seen[0]?.headers).toMatchObject({ 'x-goog-api-key': 'secret' })

  cut = true
  const broken = (await (await gateway.post(path, body)).json()) as object[]
  expect(broken).toEqual([
    fragment('Hel'),
    { error: expect.objectContaining({ code: 502, status: 'UNAVAILABLE' }) },
  ])
})

test('rejects Gemini-only features for other upstreams with an error in Gemini’s format', async () => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, {}))
  await using gateway = await start({
    providers: { other: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  const path = '/v1beta/models/other%2Fgpt:generateContent'
  const cached = await gateway.post(path, { ...hello, cachedContent: 'cachedContents/x' })
  expect(cached.status).toBe(400)
  expect(await cached.json()).toMatchObject({
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      details: expect.arrayContaining([
        expect.objectContaining({
          fieldViolations: [expect.objectContaining({ field: 'cachedContent' })],
        }),
      ]),
    },
  })
  const wrong = await gateway.post(path, { ...hello, generationConfig: { topP: 2 } })
  expect(JSON.stringify(await wrong.json())).toContain('generationConfig.topP')
  expect(upstream.seen).toHaveLength(0)
})

test('the official SDK’s tool loop runs on an Anthropic upstream with signed thinking', async () => {
  const signature = 'EqQBCgIYAxIM'
  const event = (value: Readonly<Record<string, unknown>>): string =>
    `event: ${String(value['type'])}\ndata: ${JSON.stringify(value)}\n\n`
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'c',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 1 },
  }
  const block = (index: number, start: object, deltas: readonly object[]) => [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ]
  const ending = (reason: string) => [
    event({
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 9 },
    }),
    event({ type: 'message_stop' }),
  ]
  await using upstream = await fakeUpstream((seen, response) => {
    const isAnswered = JSON.stringify(seen.body['messages']).includes('tool_result')
    const blocks = isAnswered
      ? block(0, { type: 'text', text: '' }, [{ type: 'text_delta', text: '21 °C' }])
      : [
          ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
            { type: 'thinking_delta', thinking: 'Ask.' },
            { type: 'signature_delta', signature },
          ]),
          ...block(1, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }, [
            { type: 'input_json_delta', partial_json: '{"city":' },
            { type: 'input_json_delta', partial_json: '"Bern"}' },
          ]),
        ]
    const events = [
      event({ type: 'message_start', message }),
      ...blocks,
      ...ending(isAnswered ? 'end_turn' : 'tool_use'),
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(events.join(''))
  })
  await using gateway = await start({
    providers: { claude: { type: 'anthropic', baseUrl: upstream.url, key: 'k' } },
    models: { 'my-claude': { targets: [{ target: 'claude/claude-sonnet-4-5' }] } },
  })
  const google = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: gateway.url } })
  const config = {
    thinkingConfig: { thinkingBudget: 2048 },
    maxOutputTokens: 4096,
    tools: [
      {
        functionDeclarations: [
          {
            name: 'weather',
            parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
          },
        ],
      },
    ],
  }
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Weather in Bern?' }] }]
  let text = ''
  for (let round = 0; round < 2; round += 1) {
    const stream = await google.models.generateContentStream({
      model: 'my-claude',
      contents,
      config,
    })
    for await (const { candidates, functionCalls } of stream) {
      const [candidate] = candidates ?? []
      if (candidate?.content) contents.push(candidate.content)
      for (const { parts = [] } of candidate?.content ? [candidate.content] : [])
        text += parts.map((part) => part.text ?? '').join('')
      for (const { id, name } of functionCalls ?? []) {
        expect({ id, name }).toEqual({ id: 'toolu_1', name: 'weather' })
      }
    }
    if (round === 0)
      contents.push({
        role: 'user',
        parts: [
          { functionResponse: { id: 'toolu_1', name: 'weather', response: { output: '21' } } },
        ],
      })
  }
  expect(text).toBe('21 °C')
  const [, second] = upstream.seen
  const history = second?.body['messages'] as { readonly role: string; readonly content: unknown }[]
  expect(history).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Weather in Bern?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Ask.', signature },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '21' }] },
  ])
})

test('translates chat to Gemini with CRLF streams, and returns the thought signature', async () => {
  const call = {
    functionCall: { name: 'weather', args: { city: 'Bern' } },
    thoughtSignature: 'SIG=',
  }
  const first = {
    candidates: [{ content: { role: 'model', parts: [call] }, finishReason: 'STOP', index: 0 }],
  }
  await using upstream = await fakeUpstream((seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const isAnswered = seen.text.includes('functionResponse')
    const events = isAnswered ? [fragment('21 '), fragment('°C', 'STOP')] : [first]
    response.end(events.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`).join(''))
  })
  await using gateway = await start({
    providers: { mine: { type: 'gemini', baseUrl: upstream.url, key: 'k' } },
  })
  const ask = async (messages: readonly object[]) => {
    const answer = await gateway.post('/v1/chat/completions', {
      model: 'mine/gemini-3-pro-preview',
      stream: true,
      messages,
      tools: [{ type: 'function', function: { name: 'weather' } }],
    })
    const events = (await answer.text())
      .split('\n\n')
      .filter((event) => event.startsWith('data: {'))
    return events.flatMap((event) => JSON.parse(event.slice(6)).choices)
  }
  const question = { role: 'user', content: 'Weather in Bern?' }
  const choices = await ask([question])
  const [made] = choices.flatMap(({ delta }) => delta.tool_calls ?? [])
  expect(choices.at(-1).finish_reason).toBe('tool_calls')
  const { index: _, ...kept } = made
  const told = await ask([
    question,
    { role: 'assistant', content: null, tool_calls: [kept] },
    { role: 'tool', tool_call_id: kept.id, content: '21' },
  ])
  expect(told.map(({ delta }) => delta.content ?? '').join('')).toBe('21 °C')
  const [, second] = upstream.seen
  expect(second?.path).toBe('/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse')
  expect(second?.body['contents']).toMatchObject([
    { role: 'user' },
    { role: 'model', parts: [{ functionCall: { name: 'weather' }, thoughtSignature: 'SIG=' }] },
    {
      role: 'user',
      parts: [{ functionResponse: { name: 'weather', response: { output: '21' } } }],
    },
  ])
})
