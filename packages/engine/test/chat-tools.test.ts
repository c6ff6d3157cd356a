import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { type Asked, chunksOf, replyTo } from './support/ask-chat.ts'

type Tool = NonNullable<ChatRequest['tools']>[number]

function tool(
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required = Object.keys(properties),
): Tool {
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: { type: 'object', properties, required, additionalProperties: false },
    },
  }
}

const text = { type: 'string' }
const number = { type: 'number' }
const weather = tool(
  'get_current_weather',
  'Get the current weather in a given location',
  {
    location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
  },
  ['location'],
)
const email = tool(
  'send_email',
  'Send an email to a person',
  { to: text, subject: text, body: text },
  ['to', 'body'],
)
const calculator = tool('calculator', 'Evaluate an arithmetic expression', { expression: text })
const time = tool('get_time', 'Get the current time in a city', { city: text })
const light = tool('set_light', 'Set the colour of a lamp', {
  lamp: text,
  color: { type: 'string', enum: ['red', 'blue', 'green'] },
})
const add = tool('add', 'Add two numbers', { a: number, b: number })
const multiply = tool('multiply', 'Multiply two numbers', { a: number, b: number })
const flight = tool(
  'book_flight',
  'Book a flight',
  {
    origin: text,
    destination: text,
    date: { type: 'string', format: 'date' },
    passengers: { type: 'integer', minimum: 1 },
  },
  ['origin', 'destination', 'date'],
)
const remind = tool('create_reminder', 'Create a reminder', { text, time: text })
const search = tool('web_search', 'Search the web', { query: text })
const turnOn = tool('switch_device', 'Turn a device on or off', {
  device: text,
  on: { type: 'boolean' },
})

async function callsOf(
  content: string,
  tools: Tool[],
  more: Partial<Asked> = {},
): Promise<string[]> {
  const reply = await replyTo({ messages: [{ role: 'user', content }], tools, ...more })
  const [choice] = reply.choices
  expect(choice?.finish_reason).toBe(
    (choice?.message.tool_calls?.length ?? 0) > 0 ? 'tool_calls' : 'stop',
  )
  return (choice?.message.tool_calls ?? []).map(
    (call) => `${call.function?.name} ${call.function?.arguments}`,
  )
}

describe('tools under auto', () => {
  it.each<[string, Tool[], string[]]>([
    [
      "What's the weather like in Boston today?",
      [weather],
      ['get_current_weather {"location":"Boston"}'],
    ],
    [
      'What is the weather in San Francisco, CA in celsius?',
      [weather],
      ['get_current_weather {"location":"San Francisco, CA","unit":"celsius"}'],
    ],
    [
      'Is it going to rain in London tomorrow?',
      [weather, time],
      ['get_current_weather {"location":"London"}'],
    ],
    [
      "What's the weather like in San Francisco, Tokyo, and Paris?",
      [weather, email],
      [
        'get_current_weather {"location":"San Francisco"}',
        'get_current_weather {"location":"Tokyo"}',
        'get_current_weather {"location":"Paris"}',
      ],
    ],
    [
      'weather in Paris and in Rome',
      [weather],
      ['get_current_weather {"location":"Paris"}', 'get_current_weather {"location":"Rome"}'],
    ],
    ["What's 12*7?", [weather, calculator], ['calculator {"expression":"12*7"}']],
    [
      'What time is it in Tokyo and what is the weather in Berlin?',
      [weather, time, calculator],
      ['get_time {"city":"Tokyo"}', 'get_current_weather {"location":"Berlin"}'],
    ],
    [
      'Get the weather in Paris and send an email to bob@example.com saying it is sunny',
      [weather, email],
      [
        'get_current_weather {"location":"Paris"}',
        'send_email {"to":"bob@example.com","body":"it is sunny"}',
      ],
    ],
    [
      'Send an email to bob@example.com with the subject "Lunch" saying let us meet at noon',
      [email],
      ['send_email {"to":"bob@example.com","subject":"Lunch","body":"let us meet at noon"}'],
    ],
    [
      'Set lamp kitchen to red and set lamp bedroom to blue',
      [light],
      ['set_light {"lamp":"kitchen","color":"red"}', 'set_light {"lamp":"bedroom","color":"blue"}'],
    ],
    [
      'add 2 and 3 and multiply 4 by 5',
      [add, multiply],
      ['add {"a":2,"b":3}', 'multiply {"a":4,"b":5}'],
    ],
    [
      'Book a flight from Paris to New York on March 12 for 3 passengers',
      [flight],
      [
        'book_flight {"origin":"Paris","destination":"New York","date":"2026-03-12","passengers":3}',
      ],
    ],
    [
      'Remind me to call mom at 5pm',
      [remind, weather],
      ['create_reminder {"text":"call mom at 5pm","time":"5pm"}'],
    ],
    ['Who is the CEO of Apple?', [search], ['web_search {"query":"Who is the CEO of Apple"}']],
    ['Turn off the lamp', [turnOn], ['switch_device {"device":"lamp","on":false}']],
    ['Turn on the lamp', [turnOn], ['switch_device {"device":"lamp","on":true}']],
    ['What is 2+2?', [weather], []],
    ['Hello, how are you today?', [weather, email, time], []],
    ['Write a poem about love', [weather, email], []],
  ])('%s', async (asked, tools, calls) => {
    expect(await callsOf(asked, tools)).toEqual(calls)
  })

  it('calls nothing with tool_choice none, and answers itself', async () => {
    expect(
      await callsOf("What's the weather in Boston?", [weather], { tool_choice: 'none' }),
    ).toEqual([])
  })

  it('calls one tool at a time without parallel_tool_calls until all is answered', async () => {
    const messages: Asked['messages'] = [{ role: 'user', content: 'weather in Paris and Rome' }]
    const named: string[] = []
    for (let turn = 0; turn < 2; turn++) {
      const reply = await replyTo({ messages, tools: [weather], parallel_tool_calls: false })
      const calls = reply.choices[0]?.message.tool_calls ?? []
      expect(calls).toHaveLength(1)
      named.push(calls[0]?.function?.arguments ?? '')
      messages.push(
        { role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', tool_call_id: calls[0]?.id ?? '', content: `{"temperature":${20 + turn}}` },
      )
    }
    expect(named).toEqual(['{"location":"Paris"}', '{"location":"Rome"}'])
    const reply = await replyTo({
      messages,
      tools: [weather],
      parallel_tool_calls: false,
      temperature: 0,
    })
    expect(reply.choices[0]?.message.content).toBe(
      'For Paris: temperature 20. For Rome: temperature 21.',
    )
  })

  it('resumes a request after a clarifying question', async () => {
    const reply = await replyTo({
      messages: [
        { role: 'user', content: "What's the weather like?" },
        { role: 'assistant', content: 'In which city?' },
        { role: 'user', content: 'Boston' },
      ],
      tools: [weather],
    })
    expect(reply.choices[0]?.message.tool_calls?.[0]?.function?.arguments).toBe(
      '{"location":"Boston"}',
    )
  })
})

describe('required tool calls', () => {
  it.each<[string, NonNullable<Asked['tool_choice']>]>([
    ['required', 'required'],
    ['named', { type: 'function', function: { name: 'get_current_weather' } }],
  ])('%s: calls a tool although nothing in the prompt asks for it', async (_, choice) => {
    const calls = await callsOf('Tell me a joke', [weather], { tool_choice: choice })
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatch(/^get_current_weather \{"location":"/)
  })

  it('use only the allowed tools', async () => {
    const allowed = {
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'required',
        tools: [{ type: 'function', function: { name: 'get_time' } }],
      },
    } as const
    const calls = await callsOf("What's the weather in Boston?", [weather, time], {
      tool_choice: {
        ...allowed,
        allowed_tools: { ...allowed.allowed_tools, tools: [...allowed.allowed_tools.tools] },
      },
    })
    expect(calls).toEqual(['get_time {"city":"Boston"}'])
  })

  it('are rejected if no arguments can be valid', async () => {
    const impossible: Tool = {
      type: 'function',
      function: { name: 'impossible', parameters: { type: 'object', not: {} } },
    }
    await expect(
      replyTo({
        messages: [{ role: 'user', content: 'go' }],
        tools: [impossible],
        tool_choice: 'required',
      }),
    ).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'tools' } })
  })
})

describe('other ways to declare and to call', () => {
  it('passes text to custom tools', async () => {
    const custom: Tool = {
      type: 'custom',
      custom: { name: 'run_code', description: 'Run Python code' },
    }
    const reply = await replyTo({
      messages: [{ role: 'user', content: 'Run this code:\n```python\nprint(1)\n```' }],
      tools: [custom],
    })
    expect(reply.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      type: 'custom',
      custom: { name: 'run_code', input: 'print(1)' },
    })
  })

  it('follows the pattern of a custom tool', async () => {
    const format = { type: 'grammar', grammar: { syntax: 'regex', definition: '[A-Z]{3}-\\d{2}' } }
    const custom: Tool = {
      type: 'custom',
      custom: { name: 'look_up_part', description: 'Look up a part', format },
    }
    const reply = await replyTo({
      messages: [{ role: 'user', content: 'Look up part ABC-12 please' }],
      tools: [custom],
      tool_choice: 'required',
    })
    expect(reply.choices[0]?.message.tool_calls?.[0]?.custom?.input).toBe('ABC-12')
  })
})

describe('answers from tool results', () => {
  const asked = (content: string, question = 'Weather in Paris?'): Asked => ({
    temperature: 0,
    tools: [weather],
    messages: [
      { role: 'user', content: question },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'get_current_weather', arguments: '{"location":"Paris"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content },
    ],
  })

  it.each([
    [
      '{"temperature":22,"unit":"celsius","condition":"sunny"}',
      'For Paris: temperature 22, unit celsius and condition sunny.',
    ],
    ['{"location":"Paris","temperature":22}', 'For Paris: temperature 22.'],
    ['22 degrees and sunny', '22 degrees and sunny.'],
    ['{"error":"city not found"}', 'get_current_weather reports an error: City not found.'],
    ['', 'get_current_weather returned nothing.'],
    ['[]', 'get_current_weather returned an empty result.'],
  ])('%s', async (content, answered) => {
    const reply = await replyTo(asked(content))
    expect(reply.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: answered },
    })
  })

  it('picks the requested value from a long result', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`field_${index}`, index]),
    )
    const reply = await replyTo(
      asked(JSON.stringify({ ...fields, humidity: 77 }), 'What is the humidity in Paris?'),
    )
    expect(reply.choices[0]?.message.content).toContain('humidity: 77')
    expect(reply.choices[0]?.message.content).not.toContain('field 3')
  })

  it('remembers the result for later questions', async () => {
    const { messages, ...rest } = asked('{"temperature":22,"humidity":77}')
    const reply = await replyTo({
      ...rest,
      tools: [],
      messages: [
        ...messages,
        { role: 'assistant', content: 'It is 22 degrees.' },
        { role: 'user', content: 'And what is the humidity?' },
      ],
    })
    expect(reply.choices[0]?.message.content).toContain('77')
  })
})

describe('streamed calls', () => {
  it('send id and name first, then parts of the arguments', async () => {
    const { chunks } = await chunksOf({
      messages: [{ role: 'user', content: 'weather in Paris and Rome' }],
      tools: [weather],
    })
    const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
    const joined = [0, 1].map((slot) => deltas.filter((delta) => delta.index === slot))
    for (const pieces of joined) {
      expect(pieces[0]).toMatchObject({
        id: expect.stringMatching(/^call_/),
        type: 'function',
        function: { name: 'get_current_weather', arguments: '' },
      })
      expect(
        pieces
          .slice(1)
          .every((piece) => piece.id === undefined && piece.function?.name === undefined),
      ).toBe(true)
      expect(pieces.length).toBeGreaterThan(4)
    }
    expect(
      joined.map((pieces) => pieces.map((piece) => piece.function?.arguments).join('')),
    ).toEqual(['{"location":"Paris"}', '{"location":"Rome"}'])
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'tool_calls' })
  })
})
