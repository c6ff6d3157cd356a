import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ShownAccount } from '../../accounts/account-changes.ts'
import type { KeyWithSecret, ShownKey } from '../../accounts/key-changes.ts'
import type { Environment } from '../../config/env.ts'
import { type AdminConnection, listAll, openAdmin } from '../ask-admin.ts'
import { CommandError } from '../command-error.ts'
import { printable } from '../printable.ts'
import { createProgress } from '../progress.ts'
import { type AppliedFile, type Kind, parseAppliedFiles, type ReadFile } from './file.ts'
import { type Current, type Parent, planOf, type Step } from './plan.ts'
import { applyRoutes, planRoutes, type RoutePlan } from './routes.ts'
import { shownPlan } from './show-plan.ts'

export interface ApplyOptions {
  /** Paths, or `-` for standard input. */
  readonly files: readonly string[]
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly prune?: boolean
  readonly json?: boolean
  /** Where the secrets of new keys go, instead of standard output. */
  readonly secrets?: string
  readonly url?: string
}

/**
 * Says what would change, asks, and changes it, step by step; the same file once more changes nothing.
 *
 * @throws CommandError where a step was refused, after what was made until then was printed.
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
  const secrets = outcome.areKept ? new Map<string, string>() : outcome.secrets
  if (json)
    print(
      JSON.stringify({ changes: plan.steps, routes, made, secrets: asObject(secrets) }, null, 2),
    )
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
    throw new CommandError(
      `${file} cannot be read: ${cause instanceof Error ? cause.message : ''}`,
      {
        cause,
      },
    )
  }
}

/** Everything that a gateway has, without revoked keys. */
export async function currentOf(admin: AdminConnection): Promise<Current> {
  const list = (kind: Kind) => listAll<ShownAccount & ShownKey>(admin, `/admin/v1/${kind}s`)
  return {
    organization: await list('organization'),
    team: await list('team'),
    user: await list('user'),
    key: (await list('key')).filter(({ revokedAt }) => revokedAt === undefined),
  }
}

/** Whether somebody was asked and said yes; false where nobody need be asked. Throws CommandError where the answer is no. */
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

/** By the names of the keys, which may be any words. */
type Secrets = ReadonlyMap<string, string>

function asObject(secrets: Secrets): object {
  return Object.fromEntries(secrets)
}

interface Outcome {
  /** How many of the changes. */
  readonly made: number
  readonly secrets: Secrets
  /** Whether all of them are in the file that was asked for. */
  readonly areKept: boolean
  /** Of the change after these. */
  readonly refusal?: CommandError
}

/**
 * Makes the steps, then the routes, until one is refused. The secrets of new keys go to `file`, too, if there is one, each at
 * once.
 */
async function applied(
  admin: AdminConnection,
  { steps, routes }: Plan,
  file: string | undefined,
): Promise<Outcome> {
  const ids = new Map<string, string>()
  const secrets = new Map<string, string>()
  let areKept = file !== undefined
  using progress = createProgress('changes made')
  const changed = routes?.changes.length ?? 0
  const total = steps.length + changed
  const refusedAt = (made: number, what: string, cause: unknown): Outcome => {
    const why = cause instanceof Error ? cause.message : String(cause)
    const how = `${made} of ${total} changes are made; the same command goes on from there.`
    const refusal = new CommandError(`${what}: ${why}\n${how}`, { cause })
    return { made, secrets, areKept, refusal }
  }
  if (file !== undefined && steps.some(isNewKey)) write(file, secrets)
  for (const [made, step] of steps.entries()) {
    try {
      progress.at(made, total)
      const secret = await make(admin, step, ids)
      if (secret === undefined) continue
      secrets.set(step.name, secret)
      if (file === undefined) continue
      // Nobody can read it again: where it cannot be written it is shown.
      areKept = false
      replace(file, secrets)
      areKept = true
    } catch (cause) {
      const isMade = isNewKey(step) && secrets.has(step.name)
      return refusedAt(made + Number(isMade), `${step.action} ${step.kind} ${step.name}`, cause)
    }
  }
  try {
    if (routes && changed > 0) await applyRoutes(admin, routes)
  } catch (cause) {
    return refusedAt(steps.length, 'routes', cause)
  }
  return { made: total, secrets, areKept }
}

function isNewKey({ kind, action }: Step): boolean {
  return kind === 'key' && action === 'create'
}

function write(file: string, secrets: Secrets): void {
  try {
    writeFileSync(file, `${JSON.stringify(asObject(secrets), null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
    })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(`The secrets cannot be written to a new file: ${why}`, { cause })
  }
}

/** Whole or not at all: what was in it before are secrets as well. */
function replace(file: string, secrets: Secrets): void {
  const next = `${file}.${process.pid}`
  write(next, secrets)
  renameSync(next, file)
}

/** One request. Returns the secret of a key that it made. */
async function make(
  admin: AdminConnection,
  step: Step,
  ids: Map<string, string>,
): Promise<string | undefined> {
  const { kind, name } = step
  const path = `/admin/v1/${kind}s`
  const place = `${kind} ${name}`
  if (step.action === 'create') {
    const answer: Partial<KeyWithSecret> & { readonly id: string } = await admin.ask(
      `POST ${path}`,
      { ...step.body, ...placedIn(step, ids) },
    )
    ids.set(place, answer.id)
    return answer.secret
  }
  const own = `${path}/${step.id ?? ids.get(place)}`
  if (step.action === 'change') {
    const changes = step.differences
      .filter(({ field }) => field !== 'in')
      .map(({ field, after }) => [field, after ?? null] as const)
    await admin.ask(`PATCH ${own}`, { ...Object.fromEntries(changes), ...placedIn(step, ids) })
  } else await admin.ask(step.action === 'delete' ? `DELETE ${own}` : `POST ${own}/${step.action}`)
  return undefined
}

/** The field that says what a thing is in, where that is to be said. */
function placedIn(
  { kind, parent }: { readonly kind: Kind; readonly parent?: Parent | null },
  ids: ReadonlyMap<string, string>,
): object {
  if (parent === undefined) return {}
  const id = parent && (parent.id ?? ids.get(`${parent.kind} ${parent.name}`))
  return { [kind === 'key' ? 'ownerId' : 'parentId']: id ?? null }
}
