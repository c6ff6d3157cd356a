import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import type { ShownAccount } from '../../accounts/account-changes.ts'
import type { KeyWithSecret, ShownKey } from '../../accounts/key-changes.ts'
import type { Environment } from '../../config/env.ts'
import { type AdminConnection, listAll, openAdmin } from '../ask-admin.ts'
import { CommandError } from '../command-error.ts'
import { type Kind, parseAppliedFile } from './file.ts'
import { type Current, planOf, type Step } from './plan.ts'
import { applyRoutes, planRoutes, type RoutePlan } from './routes.ts'
import { shownPlan } from './show-plan.ts'

export interface ApplyOptions {
  /** A path, or `-` for standard input. */
  readonly file: string
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
  const file = parseAppliedFile(textOf(options.file))
  await using admin = await openAdmin(environment, options)
  const prune = options.prune === true
  const plan: Plan = {
    steps: planOf(file, await currentOf(admin), prune),
    ...(file.routes && { routes: await planRoutes(admin, file.routes, prune) }),
  }
  const routes = plan.routes?.changes ?? []
  if (!json) print(shownPlan(plan.steps, routes))
  const isAsked = !dryRun && plan.steps.length + routes.length > 0
  if (isAsked) await confirm(options)
  const outcome = await applied(admin, isAsked ? plan : { steps: [] }, secretsFile)
  const { made, refusal } = outcome
  const secrets = secretsFile === undefined ? outcome.secrets : {}
  if (json) print(JSON.stringify({ changes: plan.steps, routes, made, secrets }, null, 2))
  else for (const [name, secret] of Object.entries(secrets)) print(`${name} ${secret}`)
  if (refusal) throw refusal
  if (!json && isAsked)
    print(
      Object.keys(secrets).length === 0
        ? 'Applied.'
        : 'Applied. The secrets of new keys are shown only this once.',
    )
}

interface Plan {
  readonly steps: readonly Step[]
  readonly routes?: RoutePlan
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

async function currentOf(admin: AdminConnection): Promise<Current> {
  const list = (kind: Kind) => listAll<ShownAccount & ShownKey>(admin, `/admin/v1/${kind}s`)
  return {
    organization: await list('organization'),
    team: await list('team'),
    user: await list('user'),
    key: (await list('key')).filter(({ revokedAt }) => revokedAt === undefined),
  }
}

async function confirm({ yes = false, json = false, file }: ApplyOptions): Promise<void> {
  if (yes) return
  if (json || file === '-' || !process.stdin.isTTY)
    throw new CommandError('Nothing was changed: --yes applies the plan, --dry-run only shows it')
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await asking.question('Apply this? [y/N] ')
  asking.close()
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed')
}

type Secrets = Readonly<Record<string, string>>

interface Outcome {
  /** How many of the changes. */
  readonly made: number
  readonly secrets: Secrets
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
  const secrets: Record<string, string> = {}
  const changed = routes?.changes.length ?? 0
  const total = steps.length + changed
  const refusedAt = (made: number, what: string, cause: unknown): Outcome => {
    const why = cause instanceof Error ? cause.message : String(cause)
    const how = `${made} of ${total} changes are made; the same command goes on from there.`
    return { made, secrets, refusal: new CommandError(`${what}: ${why}\n${how}`, { cause }) }
  }
  if (file !== undefined && steps.some(isNewKey)) write(file, secrets, 'wx')
  for (const [made, step] of steps.entries()) {
    try {
      const secret = await make(admin, step, ids)
      if (secret === undefined) continue
      secrets[step.name] = secret
      if (file !== undefined) write(file, secrets, 'w')
    } catch (cause) {
      return refusedAt(made, `${step.action} ${step.kind} ${step.name}`, cause)
    }
  }
  try {
    if (routes && changed > 0) await applyRoutes(admin, routes)
  } catch (cause) {
    return refusedAt(steps.length, 'routes', cause)
  }
  return { made: total, secrets }
}

function isNewKey({ kind, action }: Step): boolean {
  return kind === 'key' && action === 'create'
}

function write(file: string, secrets: Secrets, flag: 'wx' | 'w'): void {
  try {
    writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(`The secrets cannot be written to a new file: ${why}`, { cause })
  }
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
    const { parent, body } = step
    const parentId = parent && (parent.id ?? ids.get(`${parent.kind} ${parent.name}`))
    const field = kind === 'key' ? 'ownerId' : 'parentId'
    const answer: Partial<KeyWithSecret> & { readonly id: string } = await admin.ask(
      `POST ${path}`,
      { ...body, ...(parentId !== undefined && { [field]: parentId }) },
    )
    ids.set(place, answer.id)
    return answer.secret
  }
  const own = `${path}/${step.id ?? ids.get(place)}`
  if (step.action === 'change') {
    const changes = step.differences.map(({ field, after }) => [field, after ?? null] as const)
    await admin.ask(`PATCH ${own}`, Object.fromEntries(changes))
  } else await admin.ask(step.action === 'delete' ? `DELETE ${own}` : `POST ${own}/${step.action}`)
  return undefined
}
