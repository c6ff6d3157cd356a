// The first address that somebody opens.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  browserWait,
  chromium,
  leaveOutBrowser,
  openBrowser,
} from '../../../../test/support/chromium.ts'
import { type Started, start } from '../../../../test/support/start.ts'
import { programVersion } from '../../src/config/version.ts'

let gateway: Started

beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  gateway.request('/', { key: null, method, headers })

const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('GET /', () => {
  test.each([browserAccepts, '*/*', 'text/html'])('is a page for %s', async (accept) => {
    const answer = await get({ accept })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await answer.text()
    for (const part of ['model gateway', 'Ready', programVersion(), 'href="docs"', 'openapi.json'])
      expect(text).toContain(part)
    expect(text).toContain(`curl -s ${gateway.url}/v1/chat/completions`)
  })

  test('loads nothing from elsewhere and runs nothing', async () => {
    const answer = await get({ accept: browserAccepts })
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

  test('HEAD is answered without a body', async () => {
    const answer = await get({}, 'HEAD')
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('')
  })

  test('says that the gateway is not ready while the database cannot be reached', async () => {
    await using broken = await start()
    Object.assign(broken.gateway.store, { checkWritable: () => Promise.reject(new Error('gone')) })
    const page = await broken.request('/', { key: null, headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('Not ready')
    const json = await broken.request('/', { key: null, headers: { accept: 'application/json' } })
    expect(await json.json()).toMatchObject({ status: 'not ready' })
  })
})

/** A folder to look at what the browser saw. */
const shots = process.env['SCREENSHOTS']

const schemes = [
  ['light', 'rgb(246, 248, 249)'],
  ['dark', 'rgb(18, 24, 28)'],
] as const

test(
  'the page fits a phone, light and dark, and asks nobody else',
  browserWait,
  async (context) => {
    if (chromium === undefined) return leaveOutBrowser(context)
    const browser = await openBrowser(chromium)
    try {
      for (const [colorScheme, background] of schemes) {
        const page = await browser.newPage({ colorScheme, viewport: { width: 375, height: 700 } })
        const { outside, problems } = watched(page)
        await page.goto(gateway.url)
        expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
          background,
        )
        // Nothing is wider than the window.
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
        expect(await page.evaluate('document.querySelector("img").naturalWidth')).toBeGreaterThan(0)
        if (shots !== undefined) await shoot(page, shots, `home-${colorScheme}`)
        await page.setViewportSize({ width: 1280, height: 900 })
        if (shots !== undefined) await shoot(page, shots, `home-${colorScheme}-wide`)
        await page.getByRole('link', { name: 'API reference' }).click()
        await page.waitForURL(`${gateway.url}/docs`)
        expect({ outside, problems }).toEqual({ outside: [], problems: [] })
        await page.close()
      }
    } finally {
      await browser.close()
    }
  },
)

async function shoot(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

function watched(page: Page) {
  const outside: string[] = []
  const problems: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(gateway.url) && !/^(data|blob):/.test(url)) outside.push(url)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  return { outside, problems }
}
