// Every page with the keyboard alone: everything that can be used is reached, and dialogs keep the focus and give it back.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { granted } from '../../../test/support/administrate.ts'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { looks, useConsole } from '../../../test/support/browser/console.ts'
import { start, testKey } from '../../../test/support/start.ts'

const ids = { team: '', user: '', organization: '', key: '', call: '' }

const tests = useConsole(async () => {
  const gateway = await start({ models: { quick: 'builtin/builtin-chat' } })
  const made = async (operation: string, fields: object) =>
    (await granted(gateway, operation, fields)).id
  ids.organization = await made('POST /admin/v1/organizations', { name: 'Acme' })
  ids.team = await made('POST /admin/v1/teams', { name: 'Search', parentId: ids.organization })
  ids.user = await made('POST /admin/v1/users', { name: 'Ada', parentId: ids.team })
  ids.key = await made('POST /admin/v1/keys', { name: 'app', ownerId: ids.team })
  const messages = [{ role: 'user', content: 'Hi' }]
  const answer = await gateway.post('/v1/chat/completions', { model: 'quick', messages })
  ids.call = answer.headers.get('x-request-id') ?? ''
  return gateway
})

const paths = [
  '/overview',
  '/requests',
  '/requests/call',
  '/usage',
  '/models',
  '/models?tab=providers',
  '/models?tab=routes',
  '/models/providers/openai',
  '/playground',
  '/keys',
  '/keys/key',
  '/users',
  '/users/user',
  '/teams',
  '/teams/team',
  '/organizations',
  '/organizations/organization',
  '/audit',
  '/settings',
  '/about',
]

/** Marks what can be used and is seen; of a group of radio buttons one is reached, and arrows lead to the others. */
const markAll = `(() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  const groups = new Set()
  const usable = all.filter((one) => {
    if (one.disabled || one.tabIndex < 0 || one.closest('fieldset:disabled') || !one.checkVisibility()) return false
    if (one.type !== 'radio') return true
    if (groups.has(one.name)) return false
    return groups.add(one.name)
  })
  usable.forEach((one) => (one.dataset.usable = one.type === 'radio' ? one.name : ''))
  return usable.length
})()`

/** What has the focus; true where it is one of those that were marked and not seen before. */
const see = `(() => {
  const { activeElement: one } = document
  const name = one?.type === 'radio' ? one.name : undefined
  const marked = name === undefined ? one : document.querySelector('[data-usable="' + name + '"]')
  if (marked?.dataset?.usable === undefined) return false
  delete marked.dataset.usable
  return true
})()`

const left = `[...document.querySelectorAll('[data-usable]')].map(({ outerHTML }) => outerHTML.slice(0, 200))`

async function walk(page: Page): Promise<unknown> {
  const count = Number(await page.evaluate(markAll))
  expect(count).toBeGreaterThan(10)
  for (let at = 0; at < count + 20; at++) {
    await page.keyboard.press('Tab')
    await page.evaluate(see)
  }
  return page.evaluate(left)
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.getByLabel('Loading').count(), { timeout: 20_000 }).toBe(0)
}

test('every control is reached with the Tab key, without accessibility problems in any theme or size', {
  timeout: 300_000,
}, async (context) => {
  await using opened = await tests.open(context, '/overview')
  const { page } = opened
  for (const path of paths) {
    const place = path.replace(/\/(\w+)$/, (all, of: string) =>
      ids[of as keyof typeof ids] ? `/${ids[of as keyof typeof ids]}` : all,
    )
    await page.goto(`${tests.gateway.url}/#${place}`)
    await page.reload()
    await settled(page)
    expect([path, await walk(page)]).toEqual([path, []])
    for (const look of looks) {
      await opened.turn(look)
      expect([path, look, await opened.problems()]).toEqual([path, look, []])
    }
    await opened.turn(looks[0])
  }
})

test(
  'every control of a plain user’s page is reached with the Tab key',
  browserWait,
  async (context) => {
    await using opened = await tests.open(context, '/own', { key: testKey })
    await settled(opened.page)
    expect(await walk(opened.page)).toEqual([])
  },
)

test('the skip link is first, and a dialog keeps the focus', browserWait, async (context) => {
  await using opened = await tests.open(context, '/keys')
  const { page } = opened
  await settled(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const focused = () => page.evaluate('document.activeElement?.id')
  expect(await focused()).toBe('main')
  await page.keyboard.press('Tab')
  const focusedText = () => page.evaluate('document.activeElement?.textContent')
  expect(await focusedText()).toBe('Create a key')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').waitFor()
  const isInside = `document.querySelector('[role="dialog"]').contains(document.activeElement)`
  for (let at = 0; at < 25; at++) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate(isInside)).toBe(true)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await expect.poll(focusedText).toBe('Create a key')
})
