import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { granted } from '../administrate.ts'
import { type Finished, runSluice } from '../run-sluice.ts'
import { adminKey, type Started } from '../start.ts'

/** The output of `apply --json`. */
export interface Applied {
  readonly changes: readonly {
    readonly action: string
    readonly kind: string
    readonly name: string
  }[]
  readonly made: number
  readonly secrets: Readonly<Record<string, string>>
}

/** A file with one item of each kind. */
export const accountsFile = `
organizations:
  - name: acme
    budgets: [100/month]
teams:
  - name: search
    organization: acme
    models: [builtin-*, 'openai/*']
    budgets: [10/month, '1/24h,tag=nightly']
users:
  - name: ada
    team: search
    requestsPerMinute: 60
keys:
  - name: app
    team: search
    tags: [project=search]
  - name: ada-laptop
    user: ada
    expiresAt: 2090-01-31
  - name: auditor
    role: administrator
    adminRole: viewer
`

/** Runs `sluice apply` on a text, in the gateway's folder. */
export function applier(gateway: Started) {
  const folder = gateway.dataFolder
  const variables = {
    SLUICE_DATA: folder,
    SLUICE_PORT: new URL(gateway.url).port,
    SLUICE_ADMIN_KEY: adminKey,
  }
  return (text: string, ...args: readonly string[]): Promise<Finished> => {
    writeFileSync(join(folder, 'accounts.yaml'), text)
    return runSluice(['apply', '-f', 'accounts.yaml', ...args], { folder, variables })
  }
}

/** The output of a run; fails if the run did not succeed. */
export async function done(finished: Promise<Finished>): Promise<string> {
  const { exitCode, stdout, stderr } = await finished
  expect(exitCode, stderr).toBe(0)
  return stdout
}

/** Like `done`, parsed as JSON. */
export async function json(finished: Promise<Finished>): Promise<Applied> {
  return JSON.parse(await done(finished)) as Applied
}

/** The error output of a run that must fail. */
export async function refused(finished: Promise<Finished>): Promise<string> {
  const { exitCode, stderr } = await finished
  expect(exitCode).toBe(1)
  return stderr
}

/** All items of a kind, oldest first. */
export async function listed(gateway: Started, kind: string) {
  const { data } = await granted(gateway, `GET /admin/v1/${kind}?order=asc`)
  return data as unknown as readonly (Readonly<Record<string, unknown>> & {
    readonly name: string
    readonly id: string
    readonly budgets: readonly { readonly id: string; readonly limitMicroUsd: number }[]
  })[]
}
