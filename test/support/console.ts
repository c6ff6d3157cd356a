import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, type TestContext } from 'vitest'
import { ensureBundle } from '../../build/checkout.cjs'
import { chromium, leaveOutBrowser, openBrowser } from './chromium.ts'
import { adminKey, type Started } from './start.ts'

/** A folder for pictures of what the browser showed; absent, none are made. */
const shots = process.env['SCREENSHOTS']

/** A phone, and the screen of a desk. */
const phone = { width: 375, height: 740 }
const desk = { width: 1280, height: 900 }

/** How long something must be wrong, in milliseconds: a busy machine draws late. */
const lastingMs = 10_000

/** A page on a desk and on a phone, in both colours. */
export const looks = [
  { isPhone: false, colorScheme: 'light' },
  { isPhone: false, colorScheme: 'dark' },
  { isPhone: true, colorScheme: 'light' },
  { isPhone: true, colorScheme: 'dark' },
] as const

/** A browser in front of a gateway. */
export interface ConsoleBrowser extends AsyncDisposable {
  /** A page of somebody who is signed in with this key; of nobody where it is absent. */
  open(path: string, options?: OpenOptions): Promise<ConsolePage>
}

interface OpenOptions {
  /** Undefined: nobody is signed in. */
  readonly key?: string | undefined
  readonly isPhone?: boolean
  readonly colorScheme?: 'light' | 'dark'
}

/** A page, with everything about it that must not be. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page
  /** The same page as it is on a phone or on a desk, and in these colours, without being loaded again. */
  turn(look: Pick<OpenOptions, 'isPhone' | 'colorScheme'>): Promise<void>
  /**
   * What is wrong: requests to anybody but the gateway, errors in the browser's log (a policy that was broken is one), whatever
   * is wider than the window, and what axe finds (WCAG 2.2 A and AA, and best practices).
   */
  problems(): Promise<readonly string[]>
  /** Answers with an error that a test has asked for are no problem. */
  expectStatus(status: number): void
}

/** A gateway and a browser in front of it, for all tests of a file. */
export interface ConsoleTests {
  readonly gateway: Started
  /** A page of an administrator, unless another key is given; where there is no browser the test is left out. */
  open(context: TestContext, path: string, options?: OpenOptions): Promise<ConsolePage>
}

/** `make` starts the gateway; what it uses of `opened` is disposed after it. */
export function useConsole(make: (opened: AsyncDisposableStack) => Promise<Started>): ConsoleTests {
  const opened = new AsyncDisposableStack()
  let gateway: Started | undefined
  let browser: ConsoleBrowser | undefined
  beforeAll(async () => {
    buildConsole()
    gateway = opened.use(await make(opened))
    if (chromium !== undefined) browser = opened.use(await openConsole(gateway))
  }, 150_000)
  afterAll(() => opened.disposeAsync())
  return {
    get gateway() {
      if (!gateway) throw new Error('The gateway was not started')
      return gateway
    },
    async open(context, path, options = {}) {
      if (!browser) return leaveOutBrowser(context)
      return browser.open(path, { key: adminKey, ...options })
    },
  }
}

/** Built when it is stale: tests show what the sources are now. */
export function buildConsole(): void {
  expect(ensureBundle(), 'the console can be built').toBe(true)
}

export async function openConsole(gateway: Pick<Started, 'url'>): Promise<ConsoleBrowser> {
  const browser = await openBrowser(chromium ?? '')
  return {
    open: (path, options) => openPage({ browser, url: gateway.url }, path, options),
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

interface Place {
  readonly browser: Browser
  readonly url: string
}

async function openPage(
  { browser, url }: Place,
  path: string,
  { key, isPhone = false, colorScheme = 'light' }: OpenOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: isPhone ? phone : desk,
    colorScheme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  if (key !== undefined) await signIn(context, url, key)
  const page = await context.newPage()
  const expected = new Set<number>()
  const seen: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url()))
      seen.push(`asked ${request.url()}`)
  })
  page.on('console', (message) => {
    const status = Number(/status of (\d{3})/.exec(message.text())?.[1])
    if (message.type() === 'error' && !expected.has(status)) seen.push(message.text())
  })
  page.on('pageerror', (error) => seen.push(String(error)))
  await page.goto(`${url}/#${path}`)
  return {
    page,
    async turn(look) {
      await page.setViewportSize(look.isPhone === true ? phone : desk)
      await page.emulateMedia({ colorScheme: look.colorScheme ?? 'light', reducedMotion: 'reduce' })
    },
    async problems() {
      const found = [
        ...(await lasting(() => widthProblems(page))),
        ...(await lasting(() => axeProblems(page))),
      ]
      return [...seen, ...found]
    },
    expectStatus: (status) => void expected.add(status),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

async function signIn(context: BrowserContext, url: string, key: string): Promise<void> {
  const answer = await context.request.post(`${url}/admin/v1/session`, {
    data: { key },
    headers: { 'x-sluice-console': '1' },
  })
  expect(answer.status()).toBe(200)
}

/** What is still wrong after a while: a page that was turned needs its time to be drawn anew. */
async function lasting(look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const end = performance.now() + lastingMs
  let found = await look()
  while (found.length > 0 && performance.now() < end) {
    await sleep(200)
    found = await look()
  }
  return found
}

async function widthProblems(page: Page): Promise<readonly string[]> {
  const width = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  return width > 0 ? [`the page is ${width} px wider than the window`] : []
}

async function axeProblems(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    readonly violations: readonly {
      readonly id: string
      readonly help: string
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
    }[]
  }
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ''}`),
  )
}

/** A picture of the whole page, for those who want to look: `SCREENSHOTS=folder`. */
export async function shoot({ page }: Pick<ConsolePage, 'page'>, name: string): Promise<void> {
  if (shots === undefined) return
  mkdirSync(shots, { recursive: true })
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
}
