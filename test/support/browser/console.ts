import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, type TestContext } from 'vitest'
import { ensureBundle } from '../../../build/checkout.cjs'
import { adminKey, type Started } from '../start.ts'
import { chromium, leaveOutBrowser, openBrowser } from './chromium.ts'

/** A folder for screenshots; if it is not set, none are taken. */
const shots = process.env['SCREENSHOTS']

/** The window sizes of a phone and a desktop computer. */
const phone = { width: 375, height: 740 }
const desk = { width: 1280, height: 900 }

/** More requests of one page to the gateway are a loop. A page with its scripts takes some dozens. */
const requestsMax = 1_000

/** How long a problem must last to count, in milliseconds, because a busy machine renders late. */
const lastingMs = 10_000

/** A desktop and a phone window, in both color schemes. */
export const looks = [
  { isPhone: false, colorScheme: 'light' },
  { isPhone: false, colorScheme: 'dark' },
  { isPhone: true, colorScheme: 'light' },
  { isPhone: true, colorScheme: 'dark' },
] as const

/** A browser in front of a gateway. */
export interface ConsoleBrowser extends AsyncDisposable {
  /** Opens a page, signed in with the given key, or not signed in if there is none. */
  open(path: string, options?: OpenOptions): Promise<ConsolePage>
}

interface OpenOptions {
  /** Undefined: not signed in. */
  readonly key?: string | undefined
  readonly isPhone?: boolean
  readonly colorScheme?: 'light' | 'dark'
}

/** A page, with a check for everything that must not happen on it. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page
  /** Changes the page to the window size of a phone or desktop and to a color scheme, without loading it again. */
  turn(look: Pick<OpenOptions, 'isPhone' | 'colorScheme'>): Promise<void>
  /**
   * The problems of the page: requests to other hosts than the gateway, errors in the browser's log (including violations of
   * the content security policy), elements wider than the window, and the findings of axe (WCAG 2.2 A and AA, and best
   * practices).
   */
  problems(): Promise<readonly string[]>
  /** Excludes error responses that a test has caused on purpose from the problems. */
  expectStatus(status: number): void
}

/** A gateway and a browser in front of it, for all tests of a file. */
export interface ConsoleTests {
  readonly gateway: Started
  /** Opens a page as an administrator, unless another key is given; without a browser, the test is skipped. */
  open(context: TestContext, path: string, options?: OpenOptions): Promise<ConsolePage>
}

/** `make` starts the gateway; resources that it adds to `opened` are disposed after the gateway. */
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

/** Builds the console if the build is out of date, so that tests use the current sources. */
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
  let requests = 0
  page.on('request', (request) => {
    requests += 1
    // Closed at once: a page that asks for ever leaves no time for anything else.
    if (requests === requestsMax) {
      seen.push(`asked ${requestsMax} times, at last ${request.url()}`)
      void page.close()
    }
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
      if (page.isClosed()) return seen
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

/** The problems that remain after a while: a page that has just changed needs time to render. */
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

/** Takes a screenshot of the whole page for manual inspection if `SCREENSHOTS=folder` is set. */
export async function shoot({ page }: Pick<ConsolePage, 'page'>, name: string): Promise<void> {
  if (shots === undefined) return
  mkdirSync(shots, { recursive: true })
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
}
