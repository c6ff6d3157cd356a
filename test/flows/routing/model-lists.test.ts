import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createModelLists } from '../../../packages/gateway/src/route/model-lists.ts'
import { fakeUpstream, json, type SeenRequest } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask, at } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const chat = (gateway: Started, model: string) =>
  gateway.post('/v1/chat/completions', { model, ...ask })

describe('an upstream’s list of models', () => {
  async function listsOf(answers: readonly (readonly string[] | number)[], keys = ['a-key']) {
    let asked = 0
    const only = await fakeUpstream((_seen, response) => {
      const answer = answers[asked] ?? []
      asked += 1
      if (typeof answer === 'number') json(response, { error: {} }, { status: answer })
      else json(response, { object: 'list', data: answer.map((id) => ({ id, object: 'model' })) })
    })
    const gateway = await start({
      providers: { only: { type: 'openai', baseUrl: only.url, keys } },
    })
    const time = { now: 0 }
    const failures: string[] = []
    const lists = createModelLists({
      upstreams: gateway.gateway.current.routing.upstreams,
      send: gateway.gateway.send,
      now: () => time.now,
      newId: (prefix) => prefix,
      failed: (id, reason) => failures.push(`${id}: ${reason}`),
    })
    return {
      lists,
      time,
      failures,
      asked: () => asked,
      seen: only.seen,
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]()
        await only[Symbol.asyncDispose]()
      },
    }
  }

  test('is fetched again one minute after a failure', async () => {
    await using told = await listsOf([503, ['bare']])
    expect(await told.lists.owners('bare')).toEqual({ listing: [], silent: ['only'] })
    expect(told.failures).toEqual(['only: it answered 503'])
    told.time.now += 59_999
    expect(await told.lists.owners('bare')).toEqual({ listing: [], silent: ['only'] })
    told.time.now += 2
    expect(await told.lists.owners('bare')).toEqual({ listing: ['only'], silent: [] })
  })

  test('stays in use while a background refresh fails', async () => {
    await using told = await listsOf([['bare'], 500, ['other']])
    const bare = { listing: ['only'], silent: [] }
    expect(await told.lists.owners('bare')).toEqual(bare)
    told.time.now += 600_001
    expect(await told.lists.owners('bare')).toEqual(bare)
    await expect.poll(() => told.failures).toEqual(['only: it answered 500'])
    expect(await told.lists.owners('bare')).toEqual(bare)
    told.time.now += 60_001
    expect(await told.lists.owners('bare')).toEqual(bare)
    await expect.poll(() => told.asked()).toBe(3)
    const other = { listing: ['only'], silent: [] }
    await expect.poll(() => told.lists.owners('other')).toEqual(other)
    expect(await told.lists.owners('bare')).toEqual({ listing: [], silent: [] })
  })

  test('is fetched with the next key if one is rejected', async () => {
    await using told = await listsOf([401, ['bare']], ['refused-key', 'good-key'])
    expect(await told.lists.owners('bare')).toEqual({ listing: ['only'], silent: [] })
    expect(told.seen.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer refused-key',
      'Bearer good-key',
    ])
  })

  test.each([404, 405, 501])('is empty for a server without one (%i)', async (status) => {
    await using told = await listsOf([status])
    expect(await told.lists.owners('bare')).toEqual({ listing: [], silent: [] })
    expect(told.failures).toEqual([])
  })
})

describe('a bare model name while a list of models is unavailable', () => {
  const silent = (seen: SeenRequest, response: ServerResponse) =>
    seen.method === 'GET'
      ? json(response, { error: { message: 'busy' } }, { status: 503 })
      : json(response, chatReply('Hello'))
  const listing = (seen: SeenRequest, response: ServerResponse) =>
    seen.method === 'GET'
      ? json(response, { object: 'list', data: [{ id: 'known', object: 'model' }] })
      : json(response, chatReply('Hello'))

  test('goes to the only provider without a list', async () => {
    await using mute = await fakeUpstream(silent)
    await using open = await fakeUpstream(listing)
    await using gateway = await start(at({ mute, open }))
    const response = await chat(gateway, 'gpt-4o')
    expect(response.status).toBe(200)
    expect(response.headers.get('x-sluice-provider')).toBe('mute')
    expect((await chat(gateway, 'known')).headers.get('x-sluice-provider')).toBe('open')
    expect(JSON.stringify(gateway.logged)).toContain('mute could not be asked for its models')
  })

  test('answers 404 if it starts with an unknown provider', async () => {
    await using mute = await fakeUpstream(silent)
    await using gateway = await start(at({ mute }))
    const response = await chat(gateway, 'nobody/gpt-4o')
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('does not exist')
  })

  test('answers 503 if several providers have no list', async () => {
    await using mute = await fakeUpstream(silent)
    await using still = await fakeUpstream(silent)
    await using gateway = await start(at({ mute, still }))
    const response = await chat(gateway, 'gpt-4o')
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('write mute/gpt-4o or still/gpt-4o')
  })
})

test('lists the shutdown date of a retiring model, also under a route’s name', async () => {
  await using gateway = await start({
    providers: { openai: { key: 'k', models: ['gpt-4o', 'gpt-6-luna'] } },
    models: { house: 'openai/gpt-4o' },
  })
  const { data } = (await (await gateway.request('/v1/models')).json()) as {
    readonly data: readonly { readonly id: string; readonly shutdown_date?: string }[]
  }
  const ends = data.flatMap(({ id, shutdown_date }) => (shutdown_date ? [[id, shutdown_date]] : []))
  expect(ends).toEqual(['openai/gpt-4o', 'gpt-4o', 'house'].map((id) => [id, '2027-01-14']))
})
