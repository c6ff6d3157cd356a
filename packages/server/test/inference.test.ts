import { formats } from '@sluice/protocols/formats.ts'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { rawClient } from '../../../test/support/clients/raw-client.ts'
import { start, until } from '../../../test/support/start.ts'
import { sampleKey } from '../../../test/support/store-samples.ts'
import { callerOf } from '../../gateway/src/accounts/callers.ts'
import { Cancellation } from '../../gateway/src/call/cancellation.ts'
import type { Call } from '../../gateway/src/call/call.ts'
import type { Exchange } from '../src/address.ts'
import { bodyRead, servedBy } from '../src/inference.ts'
// For what it adds to Fastify's types.
import type {} from '../src/server.ts'

test('answers a GET without waiting for its body', async () => {
  const format = formats.find(({ id }) => id === 'getVideo')
  if (!format) throw new Error('There is no such format')
  await using gateway = await start()
  const asked: Call[] = []
  const server = Fastify()
  server.get('/v1/videos/:id', (request, reply) => {
    request.answerHeaders = []
    const exchange = {
      request,
      reply,
      gateway: {
        ...gateway.gateway,
        current: {
          ...gateway.gateway.current,
          routing: { route: () => ({ levels: [], options: {} }) },
        },
      },
      options: {},
      parameters: { id: 'video_1' },
      key: callerOf(sampleKey()),
      cancellation: new Cancellation(),
      admission: { isGranted: true, isPriced: true, elsewhere: { route: 'm', budget: 'b' } },
    } as unknown as Exchange
    const handle = async (_gateway: unknown, { call }: { readonly call: Call }) => {
      asked.push(call)
      return { kind: 'json', body: {}, headers: {} } as const
    }
    return servedBy({ format, body: bodyRead(format), handle })(exchange)
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  try {
    using client = rawClient(url)
    await client.write('GET /v1/videos/video_1 HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n')
    await until(() => client.text().startsWith('HTTP/1.1 200 '))
    expect(asked.map(({ request }) => request.value)).toEqual([{ id: 'video_1' }])
  } finally {
    await server.close()
  }
})
