import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { openSqlite } from '../../packages/store/src/sqlite/open-sqlite.ts'
import { openBrowser } from '../support/browser/chromium.ts'
import { startServer } from '../support/gateways/server-process.ts'
import { root } from '../support/npm.ts'
import { fillText, sqliteSeries } from './usage-fill.ts'

/** Something that was waited for, in milliseconds: the middle of several times where it was done several times. */
export interface Measured {
  readonly what: string
  readonly ms: number
}

export interface ProvedConsole {
  readonly requests: number
  /** From the address to what is to be seen, with nothing kept by the browser. */
  readonly loads: readonly Measured[]
  /** Between two pictures while the list is scrolled as fast as it is drawn. */
  readonly frames: {
    readonly count: number
    readonly rows: number
    readonly p50Ms: number
    readonly p95Ms: number
    readonly longestMs: number
  }
  /** From the choice of a filter to the rows. */
  readonly searches: readonly Measured[]
}

const adminKey = 'sk-admin-of-the-measurement-0123456789'
const days = 30
const loadsEach = 5

/** What a page shows when its answer has come. */
const places = [
  ['overview', '/overview', 'section[aria-label="Models"] tbody tr'],
  ['requests', '/requests', 'section[data-tall] tbody tr a'],
  ['one request', '/requests/call_99', 'ol li'],
  ['usage and cost', '/usage', 'figure li'],
  ['keys', '/keys', 'main section, main p'],
] as const

const searches = [
  ['the last hour', 'time=1h'],
  ['the last day', 'time=1d'],
  ['one model', 'model=model_3'],
  ['one route', 'requestedModel=route_3'],
  ['a route that is seldom asked for', 'requestedModel=route_rare'],
  ['a target by its name', 'requestedModel=provider_2/model_2'],
  ['a name nobody asked for', 'requestedModel=nobody'],
  ['one provider', 'provider=provider_2'],
  ['one key', 'key=key_7'],
  ['one team', 'team=team_7'],
  ['what failed', 'outcome=failed'],
  ['status 5xx', 'status=5xx'],
  ['status 503', 'status=503'],
  ['one tag', 'tag=tag_3'],
  ['an id', 'id=call_4711'],
  ['the caller’s id', 'id=mine_4710'],
  ['what failed of one key', 'outcome=failed&key=key_7'],
  ['what there is none of', 'model=model_none'],
] as const

/** Fills a new database with so many requests of the last 30 days and looks at it in a browser. */
export async function proveConsole(requests: number, browserFile: string): Promise<ProvedConsole> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-console-'))
  try {
    await fill(join(folder, 'data'), requests)
    const env = { ...process.env, SLUICE_ADMIN_KEY: adminKey, SLUICE_HOST: '127.0.0.1' }
    await using server = await startServer(
      process.execPath,
      [join(root, 'bin/sluice.cjs'), 'serve'],
      { folder, env },
    )
    await using browser = await openBrowser(browserFile)
    const signedIn = async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
      const answer = await context.request.post(`${server.address}/admin/v1/session`, {
        data: { key: adminKey },
        headers: { 'x-sluice-console': '1' },
      })
      if (!answer.ok()) throw new Error(`Nobody is signed in: ${await answer.text()}`)
      return context
    }
    const loads: Measured[] = []
    for (const [what, path, selector] of places) {
      const took: number[] = []
      for (let time = 0; time < loadsEach; time++) {
        await using context = await signedIn()
        const page = await context.newPage()
        await page.goto(`${server.address}/#${path}`)
        took.push(await seenAt(page, selector))
      }
      loads.push({ what, ms: at(took, 0.5) })
    }
    await using context = await signedIn()
    const page = await context.newPage()
    await page.goto(`${server.address}/#/requests`)
    await seenAt(page, 'section[data-tall] tbody tr a')
    const frames = await scrolled(page)
    const found: Measured[] = []
    for (const [what, search] of searches) found.push({ what, ms: await searched(page, search) })
    return { requests, loads, frames, searches: found }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fill(folder: string, requests: number): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'sluice.db')
  const store = openSqlite({ file })
  try {
    using database = new DatabaseSync(file, { timeout: 10_000 })
    const whole = { from: 0, to: requests - 1, total: requests }
    database.exec(fillText({ ...whole, series: sqliteSeries, end: Date.now(), days }))
    database.exec('ANALYZE')
    while ((await store.usage.fold()) > 0);
  } finally {
    await store[Symbol.asyncDispose]()
  }
}

/** Whatever takes longer has failed: without an end the measurement would wait for ever. */
const waitMaxMs = 120_000

/** Milliseconds from the beginning of the page's load until something stands in it. */
async function seenAt(page: Page, selector: string): Promise<number> {
  return (await page.evaluate(`(async () => {
    while (document.querySelector(${JSON.stringify(selector)}) === null) {
      if (performance.now() > ${waitMaxMs}) throw new Error('Nothing is at ' + location.href)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    return performance.now()
  })()`)) as number
}

/** Scrolls down for so many pictures. */
const picturesMax = 900

async function scrolled(page: Page): Promise<ProvedConsole['frames']> {
  const took = (await page.evaluate(`(async () => {
    const frame = document.querySelector('section[data-tall]')
    const picture = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const took = []
    let before = await picture()
    for (let count = 0; count < ${picturesMax}; count++) {
      frame.scrollBy(0, 400)
      const now = await picture()
      took.push(now - before)
      before = now
    }
    return took
  })()`)) as readonly number[]
  const rows = await page.getByRole('table').getAttribute('aria-rowcount')
  return {
    count: took.length,
    rows: Number(rows) - 1,
    p50Ms: at(took, 0.5),
    p95Ms: at(took, 0.95),
    longestMs: Math.max(...took),
  }
}

/** A search is over when what was waited for stands there, or that there is none. */
async function searched(page: Page, search: string): Promise<number> {
  return (await page.evaluate(`(async () => {
    const picture = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const isWaiting = () => document.querySelector('main output[aria-label="Loading"]') !== null
    const begun = performance.now()
    location.hash = '#/requests?${search}'
    while (!isWaiting() && performance.now() - begun < 2000) await picture()
    while (isWaiting()) {
      if (performance.now() - begun > ${waitMaxMs}) throw new Error('Nothing comes at ' + location.href)
      await picture()
    }
    return performance.now() - begun
  })()`)) as number
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
