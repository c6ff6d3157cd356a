import { expect, test } from 'vitest'
import { fakeUpstream } from '../../../../test/support/fakes/fake-upstream.ts'
import { granted } from '../../../../test/support/administrate.ts'
import { ask, at, error, good } from '../../../../test/support/routes.ts'
import { adminKey, type Started, start, until } from '../../../../test/support/start.ts'
import { problemsCommand, requestsCommand, topCommand } from '../../src/cli/requests.ts'
import { readEnvironment } from '../../src/config/env.ts'

const environmentOf = ({ dataFolder }: Started) =>
  readEnvironment({ SLUICE_ADMIN_KEY: adminKey, SLUICE_DATA: dataFolder })

const nobody = { print: () => {}, signal: new AbortController().signal }
const prices = { 'first/*': { input: 2, output: 10 } }

test('lists, filters and follows requests', async () => {
  await using first = await fakeUpstream(good)
  await using gateway = await start({ ...at({ first }), prices })
  const { url } = gateway
  const environment = environmentOf(gateway)
  const chat = (model: string) => gateway.post('/v1/chat/completions', { model, ...ask })
  await chat('first/a')
  await chat('first/b')
  const table = await requestsCommand(environment, { url }, nobody)
  expect(table).toMatch(/^TIME +ID +MODEL/)
  expect(table).toMatch(/first\/b +completed +200 +\d+ +7 +3 +0\.000044/)
  const json = await requestsCommand(environment, { url, model: 'a', json: true }, nobody)
  expect(JSON.parse(json)).toMatchObject({ data: [{ upstreamModel: 'a' }] })

  const printed: string[] = []
  const stopping = new AbortController()
  const following = requestsCommand(
    environment,
    { url, follow: true, json: true },
    { print: (text) => void printed.push(text), signal: stopping.signal },
  )
  await until(() => gateway.gateway.live.isWatched)
  await chat('first/c')
  await until(() => printed.length === 1)
  expect(JSON.parse(printed[0] ?? '')).toMatchObject({ upstreamModel: 'c', outcome: 'completed' })
  stopping.abort()
  expect(await following).toBe('')
})

test('follow shows refused requests and why', async () => {
  await using gateway = await start()
  const printed: string[] = []
  const stopping = new AbortController()
  const following = requestsCommand(
    environmentOf(gateway),
    { url: gateway.url, follow: true },
    { print: (text) => void printed.push(text), signal: stopping.signal },
  )
  await until(() => gateway.gateway.live.isWatched)
  await gateway.post('/v1/chat/completions', { model: 'nowhere/a', ...ask })
  await until(() => printed.length === 1)
  expect(printed[0]).toMatch(
    / {2}nowhere\/a {2}- {2}refused {2}404 .* {2}model_not_found: .*nowhere/,
  )
  stopping.abort()
  expect(await following).toBe('')
})

test('top shows the usage of the last hour by model', async () => {
  await using first = await fakeUpstream(good)
  await using gateway = await start({ ...at({ first }), prices })
  const { url } = gateway
  await gateway.post('/v1/chat/completions', { model: 'first/a', ...ask })
  const table = await topCommand(environmentOf(gateway), { url }, Date.now())
  expect(table).toMatch(/\na +1 +0 +7 +3 +0\.000044 +- +-\n/)
  const json = await topCommand(environmentOf(gateway), { url, json: true }, Date.now())
  expect(JSON.parse(json)).toMatchObject({ total: { calls: 1 } })
})

test('prints the gateway’s error message', async () => {
  await using gateway = await start()
  const { url } = gateway
  const refused = requestsCommand(environmentOf(gateway), { url, status: 'odd' }, nobody)
  await expect(refused).rejects.toThrow("'status' must be a status")
  const unreachable = topCommand(environmentOf(gateway), { url: 'http://127.0.0.1:1' }, Date.now())
  await expect(unreachable).rejects.toThrow('No gateway is running')
})

test('lists what is wrong now, and fails if calls fail for it', async () => {
  await using first = await fakeUpstream(error(500))
  await using gateway = await start({
    ...at({ first }),
    prices,
    defaults: {
      retries: { attempts: 1 },
      breaker: { failures: 1, windowMs: 60_000, cooldownMs: 60_000 },
    },
  })
  const environment = environmentOf(gateway)
  const { url } = gateway
  expect(await problemsCommand(environment, { url })).toEqual({
    text: 'No problems found.',
    isFine: true,
  })
  await gateway.post('/v1/chat/completions', { model: 'first/a', ...ask })
  const alone = await problemsCommand(environment, { url })
  expect(alone.isFine).toBe(true)
  expect(alone.text).toMatch(/\nwarning +breaker_open +Calls to first\/a have failed for one key/)
  const { secret } = await granted(gateway, 'POST /admin/v1/keys', { name: 'another' })
  await gateway.post('/v1/chat/completions', { model: 'first/a', ...ask }, { key: secret })
  const { text, isFine } = await problemsCommand(environment, { url })
  expect(isFine).toBe(false)
  expect(text).toMatch(
    /^SEVERITY .*\nerror +breaker_open +Calls to first\/a have failed: it is tried last/,
  )
  const json = await problemsCommand(environment, { url, json: true })
  expect(JSON.parse(json.text)).toMatchObject({ problems: [{ subject: 'first/a' }] })
})
