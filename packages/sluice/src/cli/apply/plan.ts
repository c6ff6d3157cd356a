import { isDeepStrictEqual } from 'node:util'
import { type BudgetInput, withKnownIds } from '@sluice/gateway/accounts/terms.ts'
import { accountTerms } from '@sluice/server/admin/schemas.ts'
import { type AccountKind, accountKinds, type Budget } from '@sluice/gateway/ports/account.ts'
import type { Kind, Listed } from '../ask-admin.ts'
import { CommandError } from '../command-error.ts'
import { type AppliedFile, kinds, type FileObject } from './file.ts'

/** What exists in the gateway, except revoked keys. */
export type Current = Readonly<Record<Kind, readonly Listed[]>>

export interface Difference {
  readonly field: string
  /** Undefined if it was not set. */
  readonly before: unknown
  readonly after: unknown
}

/** The parent of an object. The id is absent if the parent will be created too. */
export interface Parent {
  readonly kind: AccountKind
  readonly name: string
  readonly id?: string
}

/** One request to the administration API. */
export type Step = { readonly kind: Kind; readonly name: string } & (
  | {
      readonly action: 'create'
      readonly parent?: Parent
      readonly body: Readonly<Record<string, unknown>>
    }
  | {
      readonly action: 'change'
      readonly id: string
      readonly differences: readonly Difference[]
      /** The new parent; null removes it from its parent, and absent keeps the current one. */
      readonly parent?: Parent | null
    }
  | {
      readonly action: 'disable' | 'enable' | 'delete' | 'revoke'
      /** Unknown for a new object that will be disabled. */
      readonly id?: string
    }
)

const fields = Object.keys(accountTerms)

/**
 * The steps from the current state to that of the file, in an order in which they can be made; none if both are equal. Objects
 * not named in the file are kept, or with `prune` removed if the file has their section; administrator keys are always kept.
 *
 * @throws CommandError if no change can lead to the state of the file.
 */
export function planOf(file: AppliedFile, current: Current, prune: boolean): readonly Step[] {
  const steps = file.wanted.flatMap((wanted) => stepsFor(wanted, file, current))
  return prune ? [...steps, ...removals(file, current)] : steps
}

function stepsFor(wanted: FileObject, file: AppliedFile, current: Current): readonly Step[] {
  const { kind, name, disabled, place } = wanted
  const present = presentOf(current, kind, name, place)
  const parent = wanted.parent && parentOf(wanted.parent, { file, current, place })
  if (!present) {
    const create: Step = {
      action: 'create',
      kind,
      name,
      ...(parent && { parent }),
      body: bodyOf(wanted),
    }
    return disabled ? [create, { action: 'disable', kind, name }] : [create]
  }
  const { id } = present
  const from = parentNow(present, current)
  const moves = from?.id !== parent?.id || (parent !== undefined && parent.id === undefined)
  const differences = [
    ...(moves ? [{ field: 'in', before: placeOf(from), after: placeOf(parent) }] : []),
    ...roleDifferences(wanted, present),
    ...differencesOf(wanted, present),
  ]
  const change = { action: 'change' as const, kind, name, id, differences }
  const isDisabled = present.disabledAt !== undefined
  return [
    ...(differences.length > 0 ? [{ ...change, ...(moves && { parent: parent ?? null }) }] : []),
    ...(isDisabled === disabled
      ? []
      : [{ action: disabled ? ('disable' as const) : ('enable' as const), kind, name, id }]),
  ]
}

function presentOf(current: Current, kind: Kind, name: string, place: string): Listed | undefined {
  const [first, second] = current[kind].filter((one) => one.name === name)
  if (second)
    throw new CommandError(
      `${place}: several ${kind}s are named ${name} (${first?.id}, ${second.id}): rename one first`,
    )
  return first
}

function parentOf(
  { kind, name }: NonNullable<FileObject['parent']>,
  {
    file,
    current,
    place,
  }: { readonly file: AppliedFile; readonly current: Current; readonly place: string },
): Parent {
  const present = presentOf(current, kind, name, place)
  if (present) return { kind, name, id: present.id }
  if (file.wanted.some((one) => one.kind === kind && one.name === name)) return { kind, name }
  throw new CommandError(
    `${place}: there is no ${kind} ${name}, neither in the file nor in the gateway`,
  )
}

function bodyOf({
  terms: itsTerms,
  role,
  adminRole,
  name,
}: FileObject): Readonly<Record<string, unknown>> {
  return {
    name,
    unique: true,
    ...itsTerms,
    ...((role !== undefined || adminRole !== undefined) && { role: role ?? 'administrator' }),
    ...(adminRole !== undefined && { adminRole }),
  }
}

/** The current parent, with its current name. */
export function parentNow(present: Listed, current: Current): Parent | undefined {
  const id = 'ownerId' in present ? present.ownerId : 'parentId' in present && present.parentId
  if (typeof id !== 'string') return undefined
  for (const kind of accountKinds) {
    const found = current[kind].find((one) => one.id === id)
    if (found) return { kind, name: found.name, id }
  }
  return undefined
}

/** As text, such as `team search`. */
function placeOf(parent: Parent | undefined): string | undefined {
  return parent && `${parent.kind} ${parent.name}`
}

/** The differences in role. */
function roleDifferences(wanted: FileObject, present: Listed): readonly Difference[] {
  if (!('role' in present)) return []
  const role = wanted.role ?? (wanted.adminRole === undefined ? 'caller' : 'administrator')
  const adminRole = role === 'administrator' ? (wanted.adminRole ?? 'owner') : undefined
  const itsRole = present.role === 'administrator' ? (present.adminRole ?? 'owner') : undefined
  const differences: readonly Difference[] = [
    { field: 'role', before: present.role, after: role },
    { field: 'adminRole', before: itsRole, after: adminRole ?? itsRole },
  ]
  return differences.filter(({ before, after }) => before !== after)
}

function differencesOf(wanted: FileObject, present: Listed): readonly Difference[] {
  const have = present as unknown as Readonly<Record<string, unknown>>
  const want: Readonly<Record<string, unknown>> = {
    ...wanted.terms,
    ...(wanted.terms.budgets !== undefined && {
      // Budgets that are stored have ids.
      budgets: withKnownIds(
        wanted.terms.budgets as readonly BudgetInput[],
        (present.budgets ?? []) as readonly Budget[],
      ),
    }),
  }
  return fields
    .map((field) => ({ field, before: have[field], after: want[field] }))
    .filter(({ before, after }) => !isDeepStrictEqual(before, after))
}

function removals(file: AppliedFile, current: Current): readonly Step[] {
  return kinds.toReversed().flatMap((kind) => {
    if (!file.kinds.has(kind)) return []
    return current[kind]
      .filter((one) => !('role' in one && one.role === 'administrator'))
      .filter(({ name }) => !file.wanted.some((want) => want.kind === kind && want.name === name))
      .map(
        ({ id, name }): Step => ({ action: kind === 'key' ? 'revoke' : 'delete', kind, name, id }),
      )
  })
}
