// An impossible tool choice is rejected by the caller's own field name, before any upstream is called.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { type Started, start } from '../../support/start.ts'

let upstream: FakeUpstream
let gateway: Started
beforeAll(async () => {
  upstream = await fakeUpstream((_seen, response) => json(response, {}))
  const { url: baseUrl } = upstream
  gateway = await start({
    providers: {
      'amazon-bedrock': { baseUrl, key: 'AKIDEXAMPLE:secret', region: 'eu-central-1' },
      gemini: { type: 'gemini', baseUrl, key: 'k' },
      anthropic: { type: 'anthropic', baseUrl, key: 'k' },
    },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const messages = [{ role: 'user', content: 'Hi' }]
const weather = { type: 'function', function: { name: 'weather', parameters } }
const allowed = (mode: string, ...names: readonly string[]) => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
})

interface Speaking {
  readonly path: (model: string) => string
  readonly body: (choice: unknown) => object
}

const chat: Speaking = {
  path: () => '/v1/chat/completions',
  body: (choice) => ({ messages, tools: [weather], tool_choice: choice }),
}
const older: Speaking = {
  ...chat,
  body: (choice) => ({ messages, functions: [weather.function], function_call: choice }),
}
const told: Speaking = {
  path: () => '/v1/messages',
  body: (choice) => ({
    messages,
    max_tokens: 99,
    tools: [{ name: 'weather', input_schema: parameters }],
    tool_choice: choice,
  }),
}
const responses: Speaking = {
  path: () => '/v1/responses',
  body: (choice) => ({
    input: 'Hi',
    tools: [{ type: 'function', name: 'weather', parameters }],
    tool_choice: choice,
  }),
}
const gemini: Speaking = {
  path: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
  body: (choice) => ({
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    tools: [{ functionDeclarations: [{ name: 'weather', parameters }] }],
    toolConfig: { functionCallingConfig: choice },
  }),
}
const names = 'toolConfig.functionCallingConfig.allowedFunctionNames'

const refused: readonly (readonly [kind: string, Speaking, choice: unknown, param: string])[] = [
  ['chat', chat, { type: 'function', function: { name: 'no' } }, 'tool_choice.function.name'],
  ['chat', chat, { type: 'function' }, 'tool_choice.function.name'],
  ['chat', chat, { type: 'custom', custom: { name: 'weather' } }, 'tool_choice.custom.name'],
  ['chat', chat, { type: 'allowed_tools' }, 'tool_choice.allowed_tools'],
  [
    'chat',
    chat,
    allowed('auto', 'weather', 'no'),
    'tool_choice.allowed_tools.tools[1].function.name',
  ],
  [
    'chat',
    chat,
    { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function' }] } },
    'tool_choice.allowed_tools.tools[0].name',
  ],
  ['the older chat', older, { name: 'no' }, 'function_call.name'],
  ['Messages', told, { type: 'tool', name: 'no' }, 'tool_choice.name'],
  ['Messages', told, { type: 'tool' }, 'tool_choice.name'],
  ['Responses', responses, { type: 'function', name: 'no' }, 'tool_choice.name'],
  ['Responses', responses, { type: 'function' }, 'tool_choice.name'],
  ['Responses', responses, { type: 'custom', name: 'weather' }, 'tool_choice.name'],
  [
    'Responses',
    responses,
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'no' }] },
    'tool_choice.tools[0].name',
  ],
  ['Gemini', gemini, { mode: 'ANY', allowedFunctionNames: ['no'] }, `${names}[0]`],
  ['Gemini', gemini, { mode: 'ANY', allowedFunctionNames: ['weather', 'no'] }, `${names}[1]`],
]

/** Where an error says the field: Anthropic's has no place for it but its message. */
function paramIn(text: string): string {
  const { error } = JSON.parse(text)
  const violations = error.details?.flatMap(
    ({ fieldViolations = [] }: { fieldViolations?: readonly { field: string }[] }) =>
      fieldViolations.map(({ field }) => field),
  )
  return error.param ?? violations?.[0] ?? error.message
}

describe.each(['amazon-bedrock/m', 'gemini/m', 'anthropic/m'])(
  'an invalid tool choice for %s',
  (model) => {
    // What a target takes in the caller's own words, it may refuse itself.
    const own = model.startsWith('gemini') ? 'Gemini' : model.startsWith('a') ? 'Messages' : ''
    test.each(refused.filter(([kind]) => model.startsWith('amazon') || kind !== own))(
      'of %s is rejected by the caller’s field (%#)',
      async (_kind, { path, body }, choice, param) => {
        const before = upstream.seen.length
        const response = await gateway.post(path(model), { model, ...body(choice) })
        const text = await response.text()
        expect(response.status, text).toBe(400)
        expect(paramIn(text)).toContain(param)
        expect(upstream.seen.length).toBe(before)
      },
    )
  },
)

test('shortens a tool name of megabytes in the error', async () => {
  const name = 'no'.repeat(2_000_000)
  const body = chat.body({ type: 'function', function: { name } })
  const response = await gateway.post(chat.path(''), { model: 'gemini/m', ...body })
  const text = await response.text()
  expect(response.status).toBe(400)
  expect(text.length).toBeLessThan(400)
})

test('an allowed_tools choice without tools becomes Gemini’s mode NONE', async () => {
  const body = chat.body(allowed('auto'))
  await gateway.post(chat.path(''), { model: 'gemini/m', ...body })
  expect(upstream.seen.at(-1)?.body).toMatchObject({
    toolConfig: { functionCallingConfig: { mode: 'NONE' } },
  })
})
