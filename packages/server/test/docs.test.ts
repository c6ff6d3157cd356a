import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  browserWait,
  chromium,
  leaveOutBrowser,
  openBrowser,
} from '../../../test/support/browser/chromium.ts'
import type { Exchange } from '../src/address.ts'
import { addresses } from '../src/routes.ts'

let app: FastifyInstance
let address: string

beforeAll(async () => {
  app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  const documents = addresses.filter(({ path }) => /^\/(?:docs|openapi|sluice)\b/.test(path))
  for (const { method, path, serve } of documents)
    app.route({
      method,
      url: path,
      // An open address looks at nothing else of the exchange.
      handler: (request, reply) => serve({ request, reply } as Exchange),
    })
  address = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

test.each([
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/start.js', 'text/javascript; charset=utf-8'],
  ['/docs/favicon-32x32.png', 'image/png'],
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/docs/openapi.json', 'application/json; charset=utf-8'],
  ['/sluice.schema.json', 'application/schema+json'],
])('serves %s', async (path, type) => {
  const answer = await fetch(address + path)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe(type)
  expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100)
})

test('answers 304 for a matching ETag', async () => {
  const first = await fetch(`${address}/openapi.json`)
  const tag = first.headers.get('etag') ?? ''
  const second = await fetch(`${address}/openapi.json`, { headers: { 'if-none-match': tag } })
  expect(second.status).toBe(304)
})

test('serves the page with and without a trailing slash', async () => {
  const answer = await fetch(`${address}/docs/`)
  expect(answer.url).toBe(`${address}/docs`)
  expect(answer.status).toBe(200)
})

test.each(['/docs/../package.json', '/docs/swagger-ui-bundle.js.map', '/docs/index.html'])(
  '%s answers 404',
  async (path) => {
    expect((await app.inject(path)).statusCode).toBe(404)
  },
)

test(
  'the reference shows every operation and loads nothing from other hosts',
  browserWait,
  async (context) => {
    if (chromium === undefined) return leaveOutBrowser(context)
    const browser = await openBrowser(chromium)
    try {
      const page = await browser.newPage()
      const outside: string[] = []
      const problems: string[] = []
      page.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(address) && !/^(data|blob):/.test(url)) outside.push(url)
      })
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(String(error)))
      await page.goto(`${address}/docs`)
      await page.getByText('/v1/chat/completions').first().waitFor({ timeout: 60_000 })
      const document = JSON.parse((await app.inject('/docs/openapi.json')).body)
      const described = Object.values<object>(document.paths).flatMap((path) => Object.keys(path))
      // The page draws its operations one after another.
      await expect
        .poll(() => page.locator('.opblock').count(), { timeout: 60_000 })
        .toBe(described.length)

      await page.getByText('/v1/chat/completions').first().click()
      await page.getByText('What is 6 times 7?').first().waitFor({ timeout: 60_000 })
      expect(outside).toEqual([])
      expect(problems).toEqual([])
    } finally {
      await browser.close()
    }
  },
)
