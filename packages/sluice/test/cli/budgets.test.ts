// Budgets on the command line: through the gateway where one runs, else on its data.
import { expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { adminKey, start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

test.each(['running', 'stopped'])('budgets reset works with the gateway %s', async (state) => {
  using folder = temporaryFolder()
  const gateway = await start({}, { dataFolder: folder.path })
  const budgets = ['a', 'b'].map((id) => ({ id, window: 'day', limitMicroUsd: 9 }))
  await granted(gateway, 'POST /admin/v1/teams', { name: 'search', budgets })
  await granted(gateway, 'POST /admin/v1/users', { name: 'twice', budgets })
  await granted(gateway, 'POST /admin/v1/keys', { name: 'twice', budgets })
  if (state === 'stopped') await gateway[Symbol.asyncDispose]()
  const run = (...args: readonly string[]) =>
    runSluice(['budgets', 'reset', ...args], {
      folder: folder.path,
      variables: {
        SLUICE_DATA: folder.path,
        SLUICE_PORT: new URL(gateway.url).port,
        SLUICE_ADMIN_KEY: adminKey,
      },
    })
  try {
    const one = await run('search', '--budget', 'b', '--json')
    expect(JSON.parse(one.stdout)).toMatchObject({ object: 'budgets.reset', budgets: ['b'] })
    const all = await run('search')
    expect(all.stdout).toMatch(/^Reset the budgets a, b of team_\w+ \(search\)\.\n$/)
    for (const [name, reason] of [
      ['nobody', 'There is no holder nobody'],
      ['twice', 'Several holders are named twice'],
    ] as const) {
      const { exitCode, stderr } = await run(name)
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(reason)])
    }
    const unknown = await run('search', '--budget', 'c')
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('There is no such budget of this team'),
    ])
  } finally {
    await gateway[Symbol.asyncDispose]()
  }
})
