// The first address that somebody opens.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildConsole } from '../../../test/support/browser/console.ts'
import { type Started, start } from '../../../test/support/start.ts'
import { programVersion } from '../../gateway/src/settings/version.ts'

let gateway: Started

beforeAll(async () => {
  buildConsole()
  gateway = await start()
}, 150_000)
afterAll(() => gateway[Symbol.asyncDispose]())

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  gateway.request('/', { key: null, method, headers })

const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('GET /', () => {
  test.each([browserAccepts, 'text/html'])('is the console for %s', async (accept) => {
    const answer = await get({ accept })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await answer.text()
    const nonce = /<meta property="csp-nonce" nonce="([^"]+)"/.exec(text)?.[1] ?? ''
    expect(nonce.length).toBeGreaterThan(16)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/)
    expect(policy).toContain(`'nonce-${nonce}'`)
    for (const rule of ["frame-ancestors 'none'", "base-uri 'none'", "connect-src 'self'"])
      expect(policy).toContain(rule)
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|(?:src|href)="(?:https?:)?\/\//)
    const again = await (await get({ accept })).text()
    expect(again).not.toContain(nonce)
  })

  test('serves scripts compressed and cached forever', async () => {
    const page = await (await get({ accept: 'text/html' })).text()
    const [, script = ''] = /src="\.(\/assets\/[^"]+\.js)"/.exec(page) ?? []
    const sizes = []
    for (const encoding of ['identity', 'gzip', 'br']) {
      const options = { key: null, headers: { 'accept-encoding': encoding } }
      const answer = await gateway.request(script, options)
      expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(answer.headers.get('cache-control')).toContain('immutable')
      expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      sizes.push(Number(answer.headers.get('content-length')))
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    expect(new Set(sizes).size).toBe(3)
  })

  test.each(['/assets/none.js', '/assets/..%2findex.html', '/assets/..%2f..%2fsluice.js'])(
    '%s answers 404',
    async (path) => {
      expect((await gateway.request(path, { key: null })).status).toBe(404)
    },
  )

  test.each(['*/*', ''])('is a page without scripts for %s', async (accept) => {
    const answer = await get({ accept })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await answer.text()
    for (const part of ['model gateway', 'Ready', programVersion(), 'href="docs"', 'openapi.json'])
      expect(text).toContain(part)
    expect(text).toContain(`curl -s ${gateway.url}/v1/chat/completions`)
  })

  test('serves a static page that loads and runs nothing', async () => {
    const answer = await get({ accept: '*/*' })
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; /)
    expect(policy).not.toContain('unsafe')
    const text = await answer.text()
    expect(text).not.toMatch(/<script|(?:src|href)="(?:https?:)?\/\//)
  })

  test.each(['application/json', 'application/json, text/plain, */*', 'application/problem+json'])(
    'is JSON for %s',
    async (accept) => {
      const answer = await get({ accept })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.headers.get('vary')).toBe('accept')
      expect(await answer.json()).toMatchObject({
        name: 'sluice',
        version: programVersion(),
        status: 'ready',
        links: { reference: `${gateway.url}/docs`, openapi: `${gateway.url}/openapi.json` },
      })
    },
  )

  test('answers HEAD without a body', async () => {
    const answer = await get({}, 'HEAD')
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('')
  })

  test('reports not ready while the database is unreachable', async () => {
    await using broken = await start()
    Object.assign(broken.gateway.store, { checkWritable: () => Promise.reject(new Error('gone')) })
    const page = await broken.request('/', { key: null, headers: { accept: '*/*' } })
    expect(await page.text()).toContain('Not ready')
    const json = await broken.request('/', { key: null, headers: { accept: 'application/json' } })
    expect(await json.json()).toMatchObject({ status: 'not ready' })
  })
})
