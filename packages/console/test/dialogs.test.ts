// Every dialog: what axe finds in both colors and on a phone, that it keeps the focus, and that it gives it back.
import { expect, test } from 'vitest'
import { granted } from '../../../test/support/administrate.ts'
import { browserWait } from '../../../test/support/browser/chromium.ts'
import { looks, shoot, useConsole } from '../../../test/support/browser/console.ts'
import { adminKey, start } from '../../../test/support/start.ts'

let secretOfUser: string
const ids = { team: '', user: '', key: '', organization: '' }

const tests = useConsole(async () => {
  const gateway = await start()
  const organization = await granted(gateway, 'POST /admin/v1/organizations', { name: 'Acme' })
  const team = await granted(gateway, 'POST /admin/v1/teams', { name: 'Search', ownKeys: true })
  const user = await granted(gateway, 'POST /admin/v1/users', { name: 'Ada', parentId: team.id })
  const key = await granted(gateway, 'POST /admin/v1/keys', {
    name: 'laptop',
    ownerId: user.id,
    budgets: [{ limitMicroUsd: 1_000_000, window: 'day' }],
  })
  Object.assign(ids, {
    organization: organization.id,
    team: team.id,
    user: user.id,
    key: key.id,
  })
  secretOfUser = key.secret
  return gateway
})

/** Where a dialog is opened, and by which button. */
const dialogs = [
  ['/keys', 'Create a key'],
  ['/keys/key', 'Change'],
  ['/keys/key', 'Rotate: laptop'],
  ['/keys/key', 'Revoke: laptop'],
  ['/users', 'Create a user'],
  ['/users/user', 'Change'],
  ['/users/user', 'Delete'],
  ['/teams', 'Create a team'],
  ['/teams/team', 'Change'],
  ['/teams/team', 'Delete'],
  ['/organizations', 'Create an organization'],
  ['/organizations/organization', 'Change'],
  ['/organizations/organization', 'Delete'],
  ['/audit', /^Show/],
  ['/own', 'Create a key'],
  ['/own', /^Rotate/],
  ['/own', /^Revoke/],
] as const
const isInside = `document.querySelector('[role="dialog"]').contains(document.activeElement)`

test.for(dialogs)(
  'dialog on %s: %s is accessible and returns the focus',
  browserWait,
  async ([path, name], context) => {
    const key = path === '/own' ? secretOfUser : adminKey
    const place = path.replace(
      /\/(key|user|team|organization)$/,
      (_all, kind: keyof typeof ids) => `/${ids[kind]}`,
    )
    await using opened = await tests.open(context, place, { key })
    const { page } = opened
    const button = page.getByRole('main').getByRole('button', { name, exact: true }).first()
    await button.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button').first().waitFor()
    for (const look of looks) {
      await opened.turn(look)
      await shoot(opened, `dialog${place.replaceAll('/', '-')}-${String(name)}-${look.colorScheme}`)
      expect(await opened.problems()).toEqual([])
    }
    const count = await dialog.locator('a, button, input, select, textarea, [tabindex="0"]').count()
    for (const step of ['Tab', 'Shift+Tab'])
      for (let at = 0; at <= count; at++) {
        await page.keyboard.press(step)
        expect([step, at, await page.evaluate(isInside)]).toEqual([step, at, true])
      }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => button.evaluate((one) => one.matches(':focus'))).toBe(true)
  },
)
