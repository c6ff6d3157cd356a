import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { isDeepStrictEqual } from 'node:util'
import type { KeyWithSecret } from '@sluice/gateway/accounts/key-changes.ts'
import type { Environment } from '../../config/env.ts'
import type { AnyEndpoint } from '@sluice/server/endpoint.ts'
import { routeEndpoints } from '@sluice/server/admin/routes-plan.ts'
import {
  type AdminConnection,
  allAccounts,
  allKeys,
  endpoints,
  type Kind,
  openAdmin,
} from '../ask-admin.ts'
import type { GatewayOptions } from '../command.ts'
import { CommandError, reasonOf } from '../command-error.ts'
import { printable } from '../printable.ts'
import { createProgress } from '../progress.ts'
import { type AppliedFile, parseAppliedFiles, type ReadFile } from './file.ts'
import { type Current, type Parent, planOf, type Step } from './plan.ts'
import { planRoutes, type RoutePlan } from './routes.ts'
import { shownPlan } from './show-plan.ts'

export interface ApplyOptions extends GatewayOptions {
  /** Paths, or `-` for standard input. */
  readonly files: readonly string[]
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly prune?: boolean
  /** The file for secrets of new keys, instead of standard output. */
  readonly secrets?: string
}

/**
 * Shows a plan, asks for confirmation and applies it step by step. Applying the same file again changes nothing.
 *
 * @throws CommandError if a step is refused, after printing what was done before.
 */
export async function applyCommand(
  environment: Environment,
  options: ApplyOptions,
  print: (text: string) => void,
): Promise<void> {
  const { dryRun = false, json = false, secrets: secretsFile } = options
  const file = parseAppliedFiles(readFiles(options.files))
  await using admin = await openAdmin(environment, options)
  const planned = () => planFor(admin, file, options.prune === true)
  const plan = await planned()
  const routes = plan.routes?.changes ?? []
  if (!json) print(shownPlan(plan.steps, routes))
  const isAsked = !dryRun && plan.steps.length + routes.length > 0
  if (isAsked && (await isConfirmed(options)) && !isDeepStrictEqual(await planned(), plan))
    throw new CommandError('Nothing was changed: somebody else has changed something meanwhile')
  const outcome = await applied(admin, isAsked ? plan : { steps: [] }, secretsFile)
  const { made, refusal } = outcome
  const secrets = outcome.areInFile ? new Map<string, string>() : outcome.secrets
  const shown = { changes: plan.steps, routes, made, secrets: Object.fromEntries(secrets) }
  if (json) print(JSON.stringify(shown, null, 2))
  else for (const [name, secret] of secrets) print(`${printable(name)} ${secret}`)
  if (refusal) throw refusal
  if (!json && isAsked)
    print(
      secrets.size === 0
        ? 'Applied.'
        : 'Applied. The secrets of new keys are shown only this once.',
    )
}

async function planFor(admin: AdminConnection, file: AppliedFile, prune: boolean): Promise<Plan> {
  const { routes } = file
  return {
    steps: planOf(file, await currentOf(admin), prune),
    ...(routes && { routes: await planRoutes(admin, routes, prune) }),
  }
}

interface Plan {
  readonly steps: readonly Step[]
  readonly routes?: RoutePlan
}

function readFiles(files: readonly string[]): readonly ReadFile[] {
  const isOne = files.length === 1
  return files.map((file) => ({ name: isOne ? '' : file, text: textOf(file) }))
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8')
  } catch (cause) {
    throw CommandError.because(`${file} cannot be read`, cause)
  }
}

/** All accounts and keys of a gateway, except revoked keys. */
export async function currentOf(admin: AdminConnection): Promise<Current> {
  return {
    organization: await allAccounts(admin, 'organization'),
    team: await allAccounts(admin, 'team'),
    user: await allAccounts(admin, 'user'),
    key: (await allKeys(admin)).filter(({ revokedAt }) => revokedAt === undefined),
  }
}

/**
 * Returns true if the user was asked and agreed, and false if no confirmation is needed. Throws CommandError if the user
 * declines.
 */
async function isConfirmed({ yes = false, json = false, files }: ApplyOptions): Promise<boolean> {
  if (yes) return false
  if (json || files.includes('-') || !process.stdin.isTTY)
    throw new CommandError('Nothing was changed: --yes applies the plan, --dry-run only shows it')
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await asking.question('Apply this? [y/N] ')
  asking.close()
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed')
  return true
}

/** By key name, which may be any text. */
type Secrets = ReadonlyMap<string, string>

interface Outcome {
  /** The number of changes made. */
  readonly made: number
  readonly secrets: Secrets
  /** Whether all secrets have been written to the requested file. */
  readonly areInFile: boolean
  /** The error of the next change. */
  readonly refusal?: CommandError
}

/**
 * Makes the steps, then the routes, until one is refused. If `file` is given, the secret of each new key is written to it
 * immediately.
 */
async function applied(
  admin: AdminConnection,
  { steps, routes }: Plan,
  file: string | undefined,
): Promise<Outcome> {
  const ids = new Map<string, string>()
  const secrets = new Map<string, string>()
  let areInFile = file !== undefined
  using progress = createProgress('changes made')
  const changed = routes?.changes.length ?? 0
  const total = steps.length + changed
  const refusedAt = (made: number, what: string, cause: unknown): Outcome => {
    const how = `${made} of ${total} changes are made; the same command goes on from there.`
    const refusal = new CommandError(`${what}: ${reasonOf(cause)}\n${how}`, { cause })
    return { made, secrets, areInFile, refusal }
  }
  if (file !== undefined && steps.some(isNewKey)) write(file, secrets)
  for (const [made, step] of steps.entries()) {
    try {
      progress.at(made, total)
      const secret = await make(admin, step, ids)
      if (secret === undefined) continue
      secrets.set(step.name, secret)
      if (file === undefined) continue
      // A secret cannot be read again, so it is printed if it cannot be written.
      areInFile = false
      replace(file, secrets)
      areInFile = true
    } catch (cause) {
      const isMade = isNewKey(step) && secrets.has(step.name)
      return refusedAt(made + Number(isMade), `${step.action} ${step.kind} ${step.name}`, cause)
    }
  }
  try {
    // Refused if the settings file has changed since the plan.
    if (routes && changed > 0) {
      const { models, etag } = routes
      await admin.ask(routeEndpoints.apply, { body: { models, etag } })
    }
  } catch (cause) {
    return refusedAt(steps.length, 'routes', cause)
  }
  return { made: total, secrets, areInFile }
}

function isNewKey({ kind, action }: Step): boolean {
  return kind === 'key' && action === 'create'
}

function write(file: string, secrets: Secrets): void {
  try {
    const text = `${JSON.stringify(Object.fromEntries(secrets), null, 2)}\n`
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    throw CommandError.because('The secrets cannot be written to a new file', cause)
  }
}

/** Atomic, because the file already contains secrets. */
function replace(file: string, secrets: Secrets): void {
  const next = `${file}.${process.pid}`
  write(next, secrets)
  renameSync(next, file)
}

/** Sends one request. Returns the secret of a key it created. */
async function make(
  admin: AdminConnection,
  step: Step,
  ids: Map<string, string>,
): Promise<string | undefined> {
  const { kind, name } = step
  const place = `${kind} ${name}`
  const those: Readonly<Partial<Record<Step['action'], AnyEndpoint>>> = endpoints[kind]
  const { [step.action]: endpoint } = those
  if (!endpoint) throw new CommandError(`Nobody can ${step.action} a ${kind}`)
  if (step.action === 'create') {
    const body = { ...step.body, ...placedIn(step, ids) }
    // Whatever is created is answered with its id, and a key with its secret.
    const made = (await admin.ask(endpoint, { body })) as Pick<KeyWithSecret, 'id'> &
      Partial<KeyWithSecret>
    ids.set(place, made.id)
    return made.secret
  }
  const path = { id: step.id ?? ids.get(place) ?? '' }
  if (step.action === 'change') {
    const changes = step.differences
      .filter(({ field }) => field !== 'in')
      .map(({ field, after }) => [field, after ?? null] as const)
    await admin.ask(endpoint, {
      path,
      body: { ...Object.fromEntries(changes), ...placedIn(step, ids) },
    })
  } else await admin.ask(endpoint, { path })
  return undefined
}

/** The field that names the parent; empty if the parent is not to be set. */
function placedIn(
  { kind, parent }: { readonly kind: Kind; readonly parent?: Parent | null },
  ids: ReadonlyMap<string, string>,
): object {
  if (parent === undefined) return {}
  const id = parent && (parent.id ?? ids.get(`${parent.kind} ${parent.name}`))
  return { [kind === 'key' ? 'ownerId' : 'parentId']: id ?? null }
}
