// What is compared against: the least that Fastify and undici need to pass a call on after a bearer check.
// `node bare.ts <port> <upstream> <key>`

import { fastify } from 'fastify'
import { Agent, request } from 'undici-fastest'

const [, , port = '', upstream = '', key = ''] = process.argv
const expected = `Bearer ${key}`
const dispatcher = new Agent({ keepAliveTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 })

const server = fastify({ bodyLimit: 64 * 1024 * 1024 })
server.removeAllContentTypeParsers()
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
)
server.get('/', async () => 'ready')
server.post<{ Body: Buffer }>('/*', async (asked, reply) => {
  if (asked.headers.authorization !== expected) return reply.code(401).send('no key')
  const { statusCode, headers, body } = await request(`${upstream}${asked.url}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer upstream' },
    body: asked.body,
    dispatcher,
  })
  reply.code(statusCode).header('content-type', headers['content-type'])
  if (headers['content-length'] !== undefined)
    reply.header('content-length', headers['content-length'])
  return reply.send(body)
})
await server.listen({ host: '127.0.0.1', port: Number(port), backlog: 4096 })
