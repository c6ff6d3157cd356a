// Gemini's computer use, which the caller runs: other models get its predefined functions, and their calls are Gemini's own.
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { makers, type Script } from '../../support/fakes/scripted-models.ts'
import { inFrontOf, through } from '../../support/gateways/scripted-gateway.ts'
import { start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const calls = [
  ['navigate', { url: 'https://example.com', intent: 'Open it.' }],
  ['click', { y: 10, x: 999, intent: 'Press the button.' }],
  ['ask_user', { question: 'Which one?' }],
] as const
const script: Script = (rounds) =>
  rounds === 0
    ? { calls: calls.map(([name, input]) => [name, JSON.stringify(input)] as const) }
    : { text: 'Done.' }

const own = {
  name: 'ask_user',
  parametersJsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
}
const browser = { environment: 'ENVIRONMENT_BROWSER' }
const offering = (use: object) => [{ computerUse: use }, { functionDeclarations: [own] }]
const user = { role: 'user', parts: [{ text: 'Buy milk.' }] }

const pathOf = (model: string, stream = false) =>
  `/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`

function partsIn(wire: string, stream: boolean): readonly Fields[] {
  const bodies = stream
    ? [...wire.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown)
    : [JSON.parse(wire) as unknown]
  return (bodies as { candidates?: { content?: { parts?: Fields[] } }[] }[]).flatMap(
    ({ candidates }) => candidates?.[0]?.content?.parts ?? [],
  )
}

/** The names of the functions in what an upstream with chat completions got. */
const namesIn = ({ body }: { readonly body: Fields }) =>
  (body['tools'] as { function: { name: string } }[]).map(({ function: { name } }) => name)

describe.each(['openai', 'anthropic'] as const)('computer use at %s', (maker) => {
  test.each([false, true])('makes the whole loop (streamed: %s)', async (stream) => {
    await using pair = await through(maker, script)
    const contents: Fields[] = [user]
    const turn = async () => {
      const body = { contents, tools: offering(browser) }
      const response = await pair.gateway.post(pathOf(pair.model, stream), body)
      const wire = await response.text()
      expect(response.status, wire).toBe(200)
      expect(response.headers.get('x-sluice-dropped')).toBeNull()
      return partsIn(wire, stream).filter((part) => part['functionCall'] ?? part['text'])
    }
    const parts = await turn()
    expect(parts).toMatchObject(calls.map(([name, args]) => ({ functionCall: { name, args } })))
    contents.push(
      { role: 'model', parts },
      {
        role: 'user',
        parts: parts.map(({ functionCall }) => ({
          functionResponse: {
            ...(functionCall as Fields),
            args: undefined,
            response: { url: 'https://example.com' },
            parts: [{ inlineData: { mimeType: 'image/png', data: picture } }],
          },
        })),
      },
    )
    expect(await turn()).toMatchObject([{ text: 'Done.' }])
    const { text } = pair.upstream.seen.at(-1)!
    for (const word of [picture, '"magnitude_in_pixels"', '"go_forward"', '"ask_user"'])
      expect(text).toContain(word)
    expect(text).not.toContain('"click_at"')
  })
})

test.each([
  ['ENVIRONMENT_MOBILE', ['long_press', 'open_app', 'list_apps'], ['scroll', 'navigate']],
  ['ENVIRONMENT_DESKTOP', ['hotkey', 'mouse_down', 'scroll'], ['navigate', 'go_back', 'open_app']],
])(
  '%s has functions of its own, without those that the caller excludes',
  async (environment, has, lacks) => {
    await using pair = await through('openai', () => ({ text: 'Hi' }))
    const use = { environment, excluded_predefined_functions: ['click'] }
    await pair.gateway.post(pathOf(pair.model), {
      contents: [user],
      tools: [{ computer_use: use }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['type'] } },
    })
    const [seen] = pair.upstream.seen
    expect(namesIn(seen!)).toEqual(expect.arrayContaining(has))
    for (const name of [...lacks, 'click']) expect(namesIn(seen!)).not.toContain(name)
    expect(seen!.text).toContain('"tool_choice":{"type":"function","function":{"name":"type"}}')
  },
)

test('a client of the first models gets their functions, by the name that it calls the model', async () => {
  await using upstream = await fakeUpstream(makers.openai.answering(() => ({ text: 'Hi' })))
  const model = 'gemini-2.5-computer-use-preview-10-2025'
  await using gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
    models: { [model]: { targets: [{ target: 'up/m' }] } },
  })
  const ask = async (environment: string) => {
    const tools = [{ computerUse: { environment } }]
    await gateway.post(pathOf(model), { contents: [user], tools })
    return namesIn(upstream.seen.at(-1)!)
  }
  expect(await ask('ENVIRONMENT_BROWSER')).toEqual(
    expect.arrayContaining(['click_at', 'type_text_at', 'wait_5_seconds']),
  )
  expect(await ask('ENVIRONMENT_BROWSER')).not.toContain('click')
  expect(await ask('ENVIRONMENT_DESKTOP')).toContain('click')
})

test.each([
  [{ ...browser, enablePromptInjectionDetection: true }, '.enablePromptInjectionDetection'],
  [{ environment: 'ENVIRONMENT_CAR' }, ''],
])('%j is refused by its place', async (use, place) => {
  await using pair = await through('openai', () => ({ text: 'Hi' }))
  const tools = [{ functionDeclarations: [own] }, { computerUse: use }]
  const response = await pair.gateway.post(pathOf(pair.model), { contents: [user], tools })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(`'tools[1].computerUse${place}' is not supported`)
  expect(pair.upstream.seen).toEqual([])
})

test('reaches Gemini unchanged, from its own clients and from chat, also beside functions', async () => {
  await using pair = await inFrontOf(
    'gemini',
    (_, response) => json(response, {}),
    'gemini-2.5-pro',
  )
  const use = { ...browser, enablePromptInjectionDetection: true }
  await pair.gateway.post(pathOf(pair.model), { contents: [user], tools: offering(use) })
  expect(pair.upstream.seen.at(-1)!.body['tools']).toEqual(offering(use))
  const response = await pair.gateway.post('/v1/chat/completions', {
    model: pair.model,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ computerUse: use }, { type: 'function', function: { name: 'ask_user' } }],
  })
  expect(response.headers.get('x-sluice-dropped')).toBeNull()
  const { tools, toolConfig } = pair.upstream.seen.at(-1)!.body
  expect(tools).toEqual([{ functionDeclarations: [{ name: 'ask_user' }] }, { computerUse: use }])
  expect(toolConfig).toBeUndefined()
})

test('travels as functions from chat, too', async () => {
  await using pair = await through('anthropic', script)
  const response = await pair.gateway.post('/v1/chat/completions', {
    model: pair.model,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ computerUse: browser }, { type: 'function', function: { name: 'ask_user' } }],
  })
  const { choices } = (await response.json()) as {
    choices: { message: { tool_calls: Fields[] } }[]
  }
  expect(choices[0]!.message.tool_calls).toMatchObject(
    calls.map(([name]) => ({ type: 'function', function: { name } })),
  )
})
