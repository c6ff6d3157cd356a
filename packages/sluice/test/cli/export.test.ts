// `sluice export`: what a gateway has, as the file that `sluice apply` reads.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
import { applier, done, json, refused } from '../../../../test/support/gateways/apply.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, type Started, start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

const odd = `
organizations:
  - name: "yes"
    metadata: { constructor: "a: b", "#": "- x", "null": "~" }
teams:
  - name: "2026-01-01"
    organization: "yes"
    budgets:
      - 0.000001/8760h
      - { limitMicroUsd: 5, window: day, model: "a,tag=b" }
      - { limitMicroUsd: 7, window: 3, tag: "x", overBudget: { route: "cheap" } }
      - { limitMicroUsd: 9007199254740991, window: lifetime }
  - name: "emoji 🚰 and \\"quotes\\" 'single' \\\\ | > & *"
users:
  - name: "line\\nbreak\\ttab \\u001b[2J"
    team: "2026-01-01"
    disabled: true
  - name: " leading and trailing "
    organization: "yes"
keys:
  - name: __proto__
    user: "line\\nbreak\\ttab \\u001b[2J"
    expiresAt: 2090-01-31T12:34:56.789Z
  - name: constructor
    team: "2026-01-01"
    contentLogging: false
    addresses: [10.0.0.0/8, "2001:db8::/32"]
  - name: lead
    role: administrator
    adminRole: team
    team: "2026-01-01"
`

async function exported(gateway: Started, ...args: readonly string[]): Promise<string> {
  const folder = gateway.dataFolder
  const variables = {
    SLUICE_DATA: folder,
    SLUICE_PORT: new URL(gateway.url).port,
    SLUICE_ADMIN_KEY: adminKey,
  }
  return done(runSluice(['export', ...args], { folder, variables }))
}

test('an export applied again changes nothing, and recreates the accounts elsewhere', async () => {
  using folder = temporaryFolder()
  const configFile = join(folder.path, 'none.yaml')
  await using gateway = await start({}, { configFile })
  const apply = applier(gateway)
  const { secrets } = await json(apply(odd, '--yes', '--json'))
  expect(Object.keys(secrets)).toEqual(['__proto__', 'constructor', 'lead'])
  const text = await exported(gateway)
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/hash|prefix|budget_/)
  expect(await done(apply(text, '--yes', '--prune'))).toBe('Nothing differs.\n')
  const asJson = await exported(gateway, '--json')
  expect(await done(apply(asJson, '--yes', '--prune'))).toBe('Nothing differs.\n')

  await using another = await start({}, { configFile })
  await done(applier(another)(text, '--yes', '--secrets', 'secrets.json'))
  expect(await exported(another)).toBe(text)
})

test('fails for two entries of one name', async () => {
  await using gateway = await start()
  for (const name of ['twice', 'twice']) await granted(gateway, 'POST /admin/v1/keys', { name })
  const variables = {
    SLUICE_DATA: gateway.dataFolder,
    SLUICE_PORT: new URL(gateway.url).port,
    SLUICE_ADMIN_KEY: adminKey,
  }
  const at = { folder: gateway.dataFolder, variables }
  expect(await refused(runSluice(['export'], at))).toContain('Several keys are named twice')
})
