import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, textStream } from '../../support/fakes/openai-wire.ts'
import { settled } from '../../support/measures/usage-records.ts'
import { ask, at } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

describe('video tasks of an upstream', () => {
  const task = (status: string) => ({
    id: 'up_1',
    object: 'video',
    model: 'sora',
    status,
    progress: 0,
    created_at: 1,
    seconds: '4',
    size: '720x1280',
  })

  test('can be read by a key restricted to an alias, with a record for each request', async () => {
    await using only = await fakeUpstream((seen, response) => {
      if (!seen.path.endsWith('/content')) {
        const status = seen.method === 'POST' ? 'queued' : 'completed'
        return json(response, task(status))
      }
      response.writeHead(200, { 'content-type': 'video/mp4' })
      response.end('clip')
    })
    await using gateway = await start(
      at(
        { only },
        {
          models: { clips: 'only/sora' },
          keys: [{ name: 'narrow', key: 'sk-narrow0123456789', models: ['clips'] }],
        },
      ),
    )
    const options = { key: 'sk-narrow0123456789' }
    const made = await gateway.post('/v1/videos', { model: 'clips', prompt: 'a' }, options)
    const { id } = (await made.json()) as { id: string }
    const polled = await gateway.request(`/v1/videos/${id}`, options)
    expect(await polled.json()).toMatchObject({ status: 'completed' })
    const content = await gateway.request(`/v1/videos/${id}/content`, options)
    expect(await content.text()).toBe('clip')
    expect(await settled(gateway, 3)).toEqual([
      expect.stringMatching(/^only createVideo completed/),
      expect.stringMatching(/^only downloadVideo completed/),
      expect.stringMatching(/^only getVideo completed/),
    ])
  })

  test('are created once, without hedging', async () => {
    const slow: Answering = (_seen, response) => {
      setTimeout(() => json(response, task('queued')), 150)
    }
    await using first = await fakeUpstream(slow)
    await using second = await fakeUpstream(slow)
    await using gateway = await start(
      at(
        { first, second },
        {
          models: {
            clips: {
              targets: [{ target: 'first/sora' }],
              fallback: ['second/sora'],
              hedge: { enabled: true, delayMs: 10 },
            },
          },
        },
      ),
    )
    const made = await gateway.post('/v1/videos', { model: 'clips', prompt: 'a' })
    expect(made.status).toBe(200)
    expect(second.seen.length).toBe(0)
  })
})

describe('stored responses', () => {
  const response = (id: string) => ({
    id,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
      },
    ],
    usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
  })

  test('accept an upstream id that occurs twice', async () => {
    await using only = await fakeUpstream((_seen, reply) => json(reply, response('resp_same')))
    await using gateway = await start(at({ only }))
    for (let call = 0; call < 2; call += 1) {
      const answer = await gateway.post('/v1/responses', { model: 'only/m', input: 'Hi' })
      expect(answer.status).toBe(200)
    }
    const event = { type: 'response.completed', response: response('resp_same') }
    only.answer((_seen, reply) =>
      sse(reply, [
        `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hello"}\n\n`,
        `event: response.completed\ndata: ${JSON.stringify(event)}\n\n`,
      ]),
    )
    const stream = await gateway.post('/v1/responses', {
      model: 'only/m',
      input: 'Hi',
      stream: true,
    })
    expect(await stream.text()).toContain('event: response.completed')
  })

  test('of another key cannot be continued', async () => {
    let calls = 0
    await using only = await fakeUpstream((_seen, reply) => {
      calls += 1
      return json(reply, response(`resp_${calls}`))
    })
    await using gateway = await start(
      at({ only }, { keys: [{ name: 'other', key: 'sk-other0123456789' }] }),
    )
    await (await gateway.post('/v1/responses', { model: 'only/m', input: 'My secret' })).json()
    const next = { model: 'only/m', input: 'Go on', previous_response_id: 'resp_1' }
    const stolen = await gateway.post('/v1/responses', next, { key: 'sk-other0123456789' })
    expect(stolen.status).toBe(400)
    expect(await stolen.text()).toContain('previous_response')
    expect(only.seen.length).toBe(1)
    expect((await gateway.post('/v1/responses', next)).status).toBe(200)
  })

  test.each(['null', '[]', '1', '{"id":"resp_1"}'])(
    'do not include an upstream answer that is not a response (%s)',
    async (text) => {
      await using only = await fakeUpstream((_seen, reply) => {
        reply.writeHead(200, { 'content-type': 'application/json' })
        reply.end(text)
      })
      await using gateway = await start(at({ only }))
      const answer = await gateway.post('/v1/responses', { model: 'only/m', input: 'Hi' })
      expect([200, 502]).toContain(answer.status)
      expect((await gateway.request('/v1/responses/resp_1')).status).toBe(404)
    },
  )
})

test('a running call keeps its settings when they change', async () => {
  const held = Promise.withResolvers<void>()
  await using old = await fakeUpstream(async (_seen, response) => {
    await sse(response, [chunk({ role: 'assistant', content: 'Hel' })], { end: false })
    await held.promise
    await sse(response, textStream.slice(2))
  })
  await using fresh = await fakeUpstream((_seen, response) => json(response, chatReply('New')))
  await using gateway = await start(at({ old }, { models: { m: 'old/m' } }))
  const running = await gateway.post('/v1/chat/completions', { model: 'm', stream: true, ...ask })
  await Promise.all([
    gateway.configure(at({ old }, { models: { m: 'old/m' } })),
    gateway.configure({}),
    gateway.configure(at({ fresh }, { models: { m: 'fresh/m' } })),
  ])
  const next = await gateway.post('/v1/chat/completions', { model: 'm', ...ask })
  expect(next.headers.get('x-sluice-provider')).toBe('fresh')
  expect((await gateway.post('/v1/chat/completions', { model: 'old/m', ...ask })).status).toBe(404)
  held.resolve()
  expect(await running.text()).toContain('[DONE]')
  expect(await settled(gateway, 2)).toEqual([
    expect.stringMatching(/^fresh chat completed/),
    expect.stringMatching(/^old chat completed/),
  ])
})
