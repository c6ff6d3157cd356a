// Records of calls that need more than one request: where an upstream lacks a format, and where a task is polled.
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { expectNumbered, expectRecords } from '../../support/ledger.ts'
import { at } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

describe('an upstream that lacks a format', () => {
  const lacking: Answering = (seen, response) =>
    seen.path.endsWith('/responses')
      ? json(response, { error: { message: 'Not found' } }, { status: 404 })
      : json(response, chatReply('Hello'))
  const body = { model: 'only/m', input: 'Hi' }
  const records = ['only chat failed', 'only chat completed 7+3']

  test('has a record of the request in that format', async () => {
    await using only = await fakeUpstream(lacking)
    await using gateway = await start(at({ only }))
    await (await gateway.post('/v1/responses', body)).text()
    expect(only.seen.length).toBe(2)
    await expectRecords(gateway, { only }, records)
  })

  test('has a numbered attempt for each request', async () => {
    await using only = await fakeUpstream(lacking)
    await using gateway = await start(at({ only }))
    await (await gateway.post('/v1/responses', body)).text()
    await expectRecords(gateway, { only }, records)
    await expectNumbered(gateway)
  })

  test('is not asked in that format again', async () => {
    await using only = await fakeUpstream(lacking)
    await using gateway = await start(at({ only }))
    for (let time = 0; time < 2; time += 1) await (await gateway.post('/v1/responses', body)).text()
    expect(only.seen.map(({ path }) => path.split('/').at(-1))).toEqual([
      'responses',
      'completions',
      'completions',
    ])
  })
})

describe('every request about a video', () => {
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

  async function downloaded() {
    const only = await fakeUpstream((seen, response) => {
      if (seen.path.endsWith('/content'))
        response.writeHead(200, { 'content-type': 'video/mp4' }).end('clip')
      else json(response, task(seen.method === 'POST' ? 'queued' : 'completed'))
    })
    const gateway = await start(at({ only }))
    const made = await gateway.post('/v1/videos', { model: 'only/sora', prompt: 'a' })
    const { id } = (await made.json()) as { id: string }
    expect(await (await gateway.request(`/v1/videos/${id}/content`)).text()).toBe('clip')
    await expectRecords(gateway, { only }, [
      'only createVideo completed 0+0',
      'only getVideo completed 0+0',
      'only downloadVideo completed',
    ])
    return {
      gateway,
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]()
        await only[Symbol.asyncDispose]()
      },
    }
  }

  test('is recorded', async () => {
    await using staged = await downloaded()
    expect(
      staged.gateway.logged.filter(({ level }) => level === 'warn' || level === 'error'),
    ).toEqual([])
  })

  test('is a numbered attempt', async () => {
    await using staged = await downloaded()
    await expectNumbered(staged.gateway)
  })
})
