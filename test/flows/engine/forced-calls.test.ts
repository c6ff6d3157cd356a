// Under a tool choice that demands a call, the built-in engine takes the tool that it has not called yet.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

type Fields = Readonly<Record<string, unknown>>

const model = 'builtin-chat'
const question = 'What is the weather in Paris?'
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const said = {
  type: 'object',
  properties: { city: { type: 'string' }, temperature: { type: 'number' } },
  required: ['city', 'temperature'],
}
const result = { city: 'Paris', temperature: 18 }
const tools = [
  { name: 'get_weather', description: 'Gets the weather in a city.', schema: city },
  { name: 'json', description: 'Respond with a JSON object.', schema: said },
]

interface Face {
  readonly path: string
  /** The request, after as many rounds as there are calls, each of which got the same result. */
  readonly body: (called: readonly string[]) => Fields
  /** The name of the tool called first in a response. */
  readonly called: RegExp
}

const faces: Readonly<Record<string, Face>> = {
  chat: {
    path: '/v1/chat/completions',
    body: (called) => ({
      model,
      tool_choice: 'required',
      tools: tools.map(({ schema: parameters, ...tool }) => ({
        type: 'function',
        function: { ...tool, parameters },
      })),
      messages: [
        { role: 'user', content: question },
        ...called.flatMap((name, index) => [
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: `c${index}`,
                type: 'function',
                function: { name, arguments: '{"city":"Paris"}' },
              },
            ],
          },
          { role: 'tool', tool_call_id: `c${index}`, content: JSON.stringify(result) },
        ]),
      ],
    }),
    called: /"function":\{"name":"(\w+)"/,
  },
  messages: {
    path: '/v1/messages',
    body: (called) => ({
      model,
      max_tokens: 500,
      tool_choice: { type: 'any' },
      tools: tools.map(({ schema, ...tool }) => ({ ...tool, input_schema: schema })),
      messages: [
        { role: 'user', content: question },
        ...called.flatMap((name, index) => [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: `c${index}`, name, input: { city: 'Paris' } }],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: `c${index}`, content: JSON.stringify(result) },
            ],
          },
        ]),
      ],
    }),
    called: /"type":"tool_use","id":"[^"]*","name":"(\w+)"/,
  },
  responses: {
    path: '/v1/responses',
    body: (called) => ({
      model,
      tool_choice: 'required',
      tools: tools.map(({ schema: parameters, ...tool }) => ({
        type: 'function',
        ...tool,
        parameters,
        strict: false,
      })),
      input: [
        { role: 'user', content: question },
        ...called.flatMap((name, index) => [
          { type: 'function_call', call_id: `c${index}`, name, arguments: '{"city":"Paris"}' },
          { type: 'function_call_output', call_id: `c${index}`, output: JSON.stringify(result) },
        ]),
      ],
    }),
    called: /"type":"function_call"[^}]*"name":"(\w+)"/,
  },
  gemini: {
    path: `/v1beta/models/${model}:generateContent`,
    body: (called) => ({
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      tools: [
        {
          functionDeclarations: tools.map(({ schema, ...tool }) => ({
            ...tool,
            parametersJsonSchema: schema,
          })),
        },
      ],
      contents: [
        { role: 'user', parts: [{ text: question }] },
        ...called.flatMap((name) => [
          { role: 'model', parts: [{ functionCall: { name, args: { city: 'Paris' } } }] },
          { role: 'user', parts: [{ functionResponse: { name, response: result } }] },
        ]),
      ],
    }),
    called: /"functionCall":\{(?:"id":"[^"]*",)?"name":"(\w+)"/,
  },
}

test.each(Object.entries(faces))('%s: the tool not yet called is next', async (_name, face) => {
  const calledAfter = async (...called: readonly string[]): Promise<string | undefined> => {
    const response = await gateway.post(face.path, face.body(called))
    const wire = await response.text()
    const [, name] = face.called.exec(wire) ?? []
    expect(name, wire).toBeDefined()
    if (name === 'json') expect(wire).toMatch(/temperature(?:\\?"): ?18/)
    return name
  }
  expect(await calledAfter()).toBe('get_weather')
  expect(await calledAfter('get_weather')).toBe('json')
  // A call is demanded though every tool was called.
  expect(await calledAfter('get_weather', 'json')).toBeDefined()
})
