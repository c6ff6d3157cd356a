import { GatewayError, oneOf, Type, validate } from '@sluice/contract'
import type { Static } from 'typebox'
import { parse } from 'yaml'
import { findLiterals } from '../../config/literals.ts'
import { formatPath } from '../../config/references.ts'
import { accountTerms, closed, optionals, terms } from '@sluice/server/admin/schemas.ts'
import type { AccountKind, Terms } from '@sluice/gateway/ports/account.ts'
import type { Kind } from '../ask-admin.ts'
import { CommandError } from '../command-error.ts'
import { budgetOption } from '../terms-options.ts'

const described = (description: string) => ({ description })
const named = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, ...described(description) })
const name = named('The name, which identifies the object among those of its kind.')
const nameOf = (kind: string) => named(`The name of its ${kind}.`)

const writtenTerms = {
  expiresAt: Type.Union([
    terms.expiresAt,
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d(?:T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,3})?)?Z)?$',
      ...described('A date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z.'),
    }),
  ]),
  budgets: Type.Array(
    Type.Union([
      Type.String({
        ...described(
          'US dollars and a period: 10/month, 1/24h,tag=nightly, 2.5/day,model=gpt-6-sol.',
        ),
      }),
      terms.budgets.items,
    ]),
    { maxItems: 100 },
  ),
  disabled: Type.Boolean(
    described('Whether this object and everything below it is disabled. Default false.'),
  ),
}
const ownTerms = optionals({ ...accountTerms, ...writtenTerms })

const organization = closed({ name, ...ownTerms })
const team = closed({ name, ...ownTerms, ...optionals({ organization: nameOf('organization') }) })
const user = closed({
  name,
  ...ownTerms,
  ...optionals({ team: nameOf('team'), organization: nameOf('organization') }),
})
const key = closed({
  name,
  ...optionals({ ...terms, ...writtenTerms }),
  ...optionals({
    team: nameOf('team'),
    user: nameOf('user'),
    role: oneOf(['caller', 'administrator']),
    adminRole: oneOf(['owner', 'operator', 'viewer', 'team']),
  }),
})

/** The file that `sluice apply` reads. Absent sections are left unchanged. */
const appliedFileSchema = Type.Object(
  {
    organizations: Type.Optional(Type.Array(organization)),
    teams: Type.Optional(Type.Array(team)),
    users: Type.Optional(Type.Array(user)),
    keys: Type.Optional(Type.Array(key)),
    routes: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Unknown(), {
        ...described('Targets and routes by name, as in `models` of sluice.yaml.'),
      }),
    ),
  },
  {
    additionalProperties: false,
    ...described('The desired organizations, teams, users, keys and routes for `sluice apply -f`.'),
  },
)

type FileContent = Static<typeof appliedFileSchema>

/** One object in the file. */
export interface FileObject {
  readonly kind: Kind
  /** Its place in the file, such as `teams[2]`. */
  readonly place: string
  readonly name: string
  /** The name of its parent; at most one. */
  readonly parent?: { readonly kind: AccountKind; readonly name: string }
  readonly disabled: boolean
  readonly terms: Partial<Record<keyof Terms, unknown>>
  readonly role?: string
  readonly adminRole?: string
}

/** In the order in which they must be created. */
export const kinds: readonly Kind[] = ['organization', 'team', 'user', 'key']

/** All objects in the file, and the kinds whose sections are present. */
export interface AppliedFile {
  readonly wanted: readonly FileObject[]
  readonly kinds: ReadonlySet<Kind>
  /** As in `models` of sluice.yaml; absent if the file has no such section. */
  readonly routes?: Readonly<Record<string, unknown>>
}

/** A file that was read. */
export interface ReadFile {
  /** Its name in messages; empty if there is only one file. */
  readonly name: string
  readonly text: string
}

/**
 * Parses several files as one; a section may occur in each of them.
 *
 * @throws CommandError with the place of the mistake.
 */
export function parseAppliedFiles(files: readonly ReadFile[]): AppliedFile {
  const parts = files.map(partOf)
  const wanted = kinds.flatMap((kind) =>
    parts.flatMap((part) => part.wanted.filter((one) => one.kind === kind)),
  )
  const places = new Map<string, string>()
  for (const { kind, name: itsName, place } of wanted) {
    const first = places.get(`${kind} ${itsName}`)
    if (first !== undefined)
      throw new CommandError(`${place}: another ${kind} is named ${itsName} already (${first})`)
    places.set(`${kind} ${itsName}`, place)
  }
  const routes = mergedRoutes(parts)
  return {
    wanted,
    kinds: new Set(parts.flatMap((part) => part.kinds)),
    ...(routes && { routes }),
  }
}

interface Part {
  readonly file: string
  readonly wanted: readonly FileObject[]
  readonly kinds: readonly Kind[]
  readonly routes?: Routes
}

type Routes = Readonly<Record<string, unknown>>

function partOf({ name: file, text }: ReadFile): Part {
  const prefix = file === '' ? '' : `${file}: `
  try {
    const written = parsedYaml(text)
    const [literal] = findLiterals(written, ([section]) => section === 'routes')
    if (literal) throw new CommandError(`${formatPath(literal.path)} ${literal.problem}`)
    const content = checked(written)
    const present = kinds.filter((kind) => content[`${kind}s`] !== undefined)
    const wanted = present.flatMap((kind) =>
      (content[`${kind}s`] ?? []).map((item, index) => wantedOf(kind, `${kind}s[${index}]`, item)),
    )
    const { routes } = content
    return {
      file,
      wanted: wanted.map((one) => ({ ...one, place: prefix + one.place })),
      kinds: present,
      ...(routes && { routes }),
    }
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause
    throw new CommandError(prefix + cause.message, { cause })
  }
}

function mergedRoutes(parts: readonly Part[]): Routes | undefined {
  const merged = new Map<string, { readonly file: string; readonly route: unknown }>()
  for (const { file, routes = {} } of parts)
    for (const [model, route] of Object.entries(routes)) {
      const first = merged.get(model)
      if (first) throw new CommandError(`${file}: routes.${model}: it is in ${first.file} already`)
      merged.set(model, { file, route })
    }
  if (parts.every(({ routes }) => routes === undefined)) return undefined
  return Object.fromEntries([...merged].map(([model, { route }]) => [model, route]))
}

/** The JSON Schema of the file, for editors. */
export function appliedSchema(): string {
  const document = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...appliedFileSchema }
  return `${JSON.stringify(document, null, 2)}\n`
}

function parsedYaml(text: string): unknown {
  try {
    return parse(text) ?? {}
  } catch (cause) {
    throw CommandError.because('The file is not YAML', cause)
  }
}

function checked(value: unknown): FileContent {
  try {
    return validate(appliedFileSchema, value)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    const { param } = thrown.details
    throw new CommandError(param === undefined ? thrown.message : `${param}: ${thrown.message}`, {
      cause: thrown,
    })
  }
}

function wantedOf(kind: Kind, place: string, item: Readonly<Record<string, unknown>>): FileObject {
  const { name: itsName, disabled, role, adminRole, expiresAt, budgets, ...rest } = item
  const { team: inTeam, user: inUser, organization: inOrganization, ...others } = rest
  const parents = Object.entries({
    team: inTeam,
    user: inUser,
    organization: inOrganization,
  }).filter((entry): entry is [AccountKind, string] => entry[1] !== undefined)
  const [parent, another] = parents
  if (another)
    throw new CommandError(`${place}: it is in a ${parent?.[0]} or a ${another[0]}, not in both`)
  return {
    kind,
    place,
    name: String(itsName),
    ...(parent && { parent: { kind: parent[0], name: parent[1] } }),
    disabled: disabled === true,
    ...(typeof role === 'string' && { role }),
    ...(typeof adminRole === 'string' && { adminRole }),
    terms: {
      ...others,
      ...(expiresAt !== undefined && { expiresAt: timeOf(expiresAt, place) }),
      ...(Array.isArray(budgets) && {
        budgets: budgets.map((one, index) => budgetOf(one, `${place}.budgets[${index}]`)),
      }),
    },
  }
}

function timeOf(value: unknown, place: string): number {
  const time = typeof value === 'number' ? value : Date.parse(String(value))
  if (Number.isNaN(time)) throw new CommandError(`${place}.expiresAt: it is not a date`)
  return time
}

function budgetOf(value: unknown, place: string): unknown {
  if (typeof value !== 'string') return value
  try {
    return budgetOption(value)
  } catch (cause) {
    throw CommandError.because(place, cause)
  }
}
