// Long texts of a request are parsed only when needed, without a visible difference for callers.
import { describe, expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const long = 'Ein "großer" Text\n\\ mit 🗼 und \u0007. '.repeat(400)

const formats = [
  {
    name: 'chat/completions',
    path: '/v1/chat/completions',
    own: 'openai',
    foreign: 'anthropic',
    further: {},
  },
  {
    name: 'messages',
    path: '/v1/messages',
    own: 'anthropic',
    foreign: 'openai',
    further: { max_tokens: 9 },
  },
] as const

const inJson = JSON.stringify(long)
const headers = { 'content-type': 'application/json' }

describe.each(formats)('long texts in $name', ({ path, own, foreign, further }) => {
  test('pass unchanged to an upstream of the same format', async () => {
    await using stage = await inFrontOf(own, (_seen, response) => json(response, { id: 'x' }))
    const { gateway, model, upstream } = stage
    const body = (name: string) =>
      `{"messages" : [{"role":"user", "content": ${inJson}}],${JSON.stringify(further).slice(1, -1)}${'max_tokens' in further ? ',' : ''} "model":"${name}"}`
    const passed = await gateway.request(path, { method: 'POST', headers, body: body(model) })
    expect(passed.status).toBe(200)
    expect(upstream.seen[0]?.text).toBe(body('m'))
  })

  test('reach an upstream of another format completely', async () => {
    await using stage = await inFrontOf(foreign, (_seen, response) =>
      json(response, {}, { status: 500 }),
    )
    const { gateway, model, upstream } = stage
    const content = [{ type: 'text', text: long }]
    await gateway.post(path, { model, ...further, messages: [{ role: 'user', content }] })
    expect(upstream.seen[0]?.text).toContain(inJson)
  })

  test('do not hide an invalid field beside them', async () => {
    await using stage = await inFrontOf(own, (_seen, response) => json(response, {}))
    const { gateway, model, upstream } = stage
    const messages = [
      { role: 'user', content: long },
      { role: 5, content: long },
    ]
    const refused = await gateway.post(path, { model, ...further, messages })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('messages[1].role')
    expect(upstream.seen).toEqual([])
  })

  test.each([
    ['an escape that JSON lacks', '\\x'],
    ['a line feed', '\n'],
  ])('are rejected with %s', async (_name, wrong) => {
    await using stage = await inFrontOf(own, (_seen, response) => json(response, {}))
    const { gateway, model, upstream } = stage
    const body = JSON.stringify({ model, ...further, messages: [{ role: 'user', content: long }] })
    const refused = await gateway.request(path, {
      method: 'POST',
      headers,
      body: body.replace('Ein', `Ein${wrong}`),
    })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('not valid JSON')
    expect(upstream.seen).toEqual([])
  })
})

test('a retry sends long texts unchanged', async () => {
  let asked = 0
  await using stage = await inFrontOf('openai', (_seen, response) => {
    asked += 1
    return asked === 1 ? json(response, {}, { status: 500 }) : json(response, { id: 'x' })
  })
  const { gateway, model, upstream } = stage
  await gateway.configure({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'sk-of-the-upstream' } },
    defaults: { retries: { attempts: 2 } },
  })
  const messages = [{ role: 'user', content: long }]
  const answer = await gateway.post('/v1/chat/completions', { model, messages })
  expect(answer.status).toBe(200)
  expect(upstream.seen.map(({ text }) => text)).toEqual([
    JSON.stringify({ model: 'm', messages }),
    JSON.stringify({ model: 'm', messages }),
  ])
})
