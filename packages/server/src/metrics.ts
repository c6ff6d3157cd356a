import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '@sluice/contract'
import { assertAddress } from '@sluice/gateway/accounts/allowed.ts'
import type { Metrics } from '@sluice/gateway/observe/observers.ts'
import { authenticate, clientAddress, requireAdministrator } from './authenticate.ts'
import { endpoint, wholeReaders } from './endpoint.ts'
import { success } from './openapi-endpoint.ts'
import { text } from './shapes.ts'

/** Prometheus' text format. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics at the gateway's own address. */
export const getMetrics = endpoint({
  method: 'GET',
  path: '/metrics',
  // The metrics key has no other rights; all other callers must be administrators.
  access: 'open',
  operationId: 'getMetrics',
  summary: 'Metrics for Prometheus, for administrators and whoever has the key for metrics',
  tag: 'Operation',
  failures: ['401', '403', '404'],
  responses: success({ 'text/plain': { schema: text } }),
  async send(_, { gateway, options, reply, request }) {
    const { metrics } = gateway
    if (!metrics) throw new GatewayError('unknown_url', 'Metrics are off, or at another address')
    if (!showsKey(metrics, request.headers.authorization)) {
      const key = await authenticate(gateway, request, options, true)
      assertAddress(key, clientAddress(request, options.trustedProxies))
      requireAdministrator(key, wholeReaders)
    }
    const shown = await metrics.text()
    void reply.header('cache-control', 'no-store').type(contentType).send(shown)
  },
})

function showsKey({ key }: Metrics, authorization: FastifyRequest['headers']['authorization']) {
  if (key === undefined || authorization === undefined) return false
  return timingSafeEqual(hashOf(authorization), hashOf(`Bearer ${key}`))
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Timeout of a scrape request, in milliseconds. */
const requestMs = 10_000

/** Creates a server for metrics alone, not yet listening. If a key is configured, requests must present it. */
export function createMetricsServer(metrics: Metrics): Server {
  return createServer(
    { requestTimeout: requestMs, headersTimeout: requestMs },
    (request, response) => {
      const status = statusOf(metrics, request)
      if (status !== 200) {
        response.writeHead(status, {
          'content-type': 'text/plain; charset=utf-8',
          ...(status === 401 && { 'www-authenticate': 'Bearer' }),
        })
        response.end(refusals[status])
        return
      }
      metrics.text().then(
        (text) => response.writeHead(200, { 'content-type': contentType }).end(text),
        () => response.writeHead(500).end(),
      )
    },
  )
}

const refusals = {
  401: 'The key for metrics is needed\n',
  404: 'Only /metrics is here\n',
  405: 'Only GET is answered\n',
} as const

function statusOf(
  metrics: Metrics,
  {
    method,
    url,
    headers,
  }: {
    method?: string | undefined
    url?: string | undefined
    headers: { authorization?: string | undefined }
  },
): 200 | keyof typeof refusals {
  if (url?.split('?')[0] !== '/metrics') return 404
  if (method !== 'GET' && method !== 'HEAD') return 405
  return metrics.key === undefined || showsKey(metrics, headers.authorization) ? 200 : 401
}
