// The caller's and the gateway's ids of a request, and contradictory headers.
import { expect, test } from 'vitest'
import { rawClient } from '../../support/clients/raw-client.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ledger } from '../../support/ledger.ts'
import { ask, at, good } from '../../support/routes.ts'
import { start, testKey, until } from '../../support/start.ts'

test('two calls with the same x-request-id have different ids in the records and in the log', async () => {
  await using only = await fakeUpstream(good)
  await using gateway = await start(at({ only }))
  const ids: (string | null)[] = []
  for (let time = 0; time < 2; time += 1) {
    const headers = { 'x-request-id': 'their-request-1' }
    const body = { model: 'only/m', ...ask }
    const answer = await gateway.post('/v1/chat/completions', body, { headers })
    expect(answer.headers.get('x-request-id')).toBe('their-request-1')
    ids.push(answer.headers.get('x-sluice-call-id'))
  }
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^req_/)
  const records = await ledger(gateway)
  expect(new Set(records.map(({ callId }) => callId))).toEqual(new Set(ids))
  expect(records.map(({ requestId }) => requestId)).toEqual(['their-request-1', 'their-request-1'])
  await until(() => gateway.logged.filter(({ message }) => message === 'request').length === 2)
  expect(gateway.logged.filter(({ message }) => message === 'request')).toMatchObject(
    ids.map((id) => ({ fields: { id, givenId: 'their-request-1' } })),
  )
})

test('without a caller’s x-request-id the gateway’s id is used', async () => {
  await using only = await fakeUpstream(good)
  await using gateway = await start(at({ only }))
  const answer = await gateway.post('/v1/chat/completions', { model: 'only/m', ...ask })
  expect(answer.headers.get('x-sluice-call-id')).toBeNull()
  const [record] = await ledger(gateway)
  expect(record?.callId).toBe(answer.headers.get('x-request-id'))
  expect(record?.requestId).toBeUndefined()
})

test.each([
  [['Host: one', 'Host: two'], 400],
  [['Host: one', 'hOsT: one'], 400],
  [['Host: one'], 200],
])('a request with the header lines %j answers %i', async (hosts, status) => {
  await using gateway = await start()
  using client = rawClient(gateway.url)
  const lines = ['GET /v1/models HTTP/1.1', ...hosts, `Authorization: Bearer ${testKey}`]
  await client.write([...lines, 'Connection: close', '', ''].join('\r\n'))
  await until(() => client.isClosed())
  expect(client.text()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
})
