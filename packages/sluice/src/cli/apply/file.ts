import { GatewayError, oneOf, Type, validate } from '@sluice/contract'
import type { Static } from 'typebox'
import { parse } from 'yaml'
import { closed, optionals, terms } from '../../http/admin/schemas.ts'
import type { AccountKind, Terms } from '../../ports/account.ts'
import { CommandError } from '../command-error.ts'
import { budgetOption } from '../terms-options.ts'

export type Kind = AccountKind | 'key'

const described = (description: string) => ({ description })
const name = Type.String({
  minLength: 1,
  maxLength: 200,
  ...described('Identifies it: nothing else of its kind has this name.'),
})
const nameOf = (kind: string) =>
  Type.String({ minLength: 1, maxLength: 200, ...described(`The name of the ${kind} it is in.`) })

const ownTerms = optionals({
  ...terms,
  expiresAt: Type.Union([
    terms.expiresAt,
    Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d', ...described('Such as 2027-01-31.') }),
  ]),
  budgets: Type.Array(
    Type.Union([
      Type.String({
        ...described('US dollars and a window: 10/month, 1/24h,tag=nightly, 2.5/day,model=gpt-4o.'),
      }),
      terms.budgets.items,
    ]),
    { maxItems: 100 },
  ),
  disabled: Type.Boolean(
    described('Whether nothing below it is valid for the time being. Default false.'),
  ),
})

const organization = closed({ name, ...ownTerms })
const team = closed({ name, ...ownTerms, ...optionals({ organization: nameOf('organization') }) })
const user = closed({
  name,
  ...ownTerms,
  ...optionals({ team: nameOf('team'), organization: nameOf('organization') }),
})
const key = closed({
  name,
  ...ownTerms,
  ...optionals({
    team: nameOf('team'),
    user: nameOf('user'),
    role: oneOf(['caller', 'administrator']),
    adminRole: oneOf(['owner', 'operator', 'viewer', 'team']),
  }),
})

/** What `sluice apply` reads. A section that is absent is left alone. */
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
    ...described(
      'Organizations, teams, users, keys and routes as they shall be: `sluice apply -f`.',
    ),
  },
)

type FileContent = Static<typeof appliedFileSchema>

/** One thing as the file has it. */
export interface Wanted {
  readonly kind: Kind
  /** Where it stands, such as `teams[2]`. */
  readonly place: string
  readonly name: string
  /** What it is in, by name: at most one. */
  readonly parent?: { readonly kind: AccountKind; readonly name: string }
  readonly disabled: boolean
  readonly terms: Partial<Record<keyof Terms, unknown>>
  readonly role?: string
  readonly adminRole?: string
}

/** In the order in which they can be made. */
export const kinds: readonly Kind[] = ['organization', 'team', 'user', 'key']

/** Everything the file asks for, and of which kinds it says all. */
export interface AppliedFile {
  readonly wanted: readonly Wanted[]
  readonly kinds: ReadonlySet<Kind>
  /** As in `models` of sluice.yaml; absent where the file has no such section. */
  readonly routes?: Readonly<Record<string, unknown>>
}

/** @throws CommandError with the place of the mistake. */
export function parseAppliedFile(text: string): AppliedFile {
  const content = checked(parsedYaml(text))
  const said = kinds.filter((kind) => content[`${kind}s`] !== undefined)
  const wanted = said.flatMap((kind) =>
    (content[`${kind}s`] ?? []).map((item, index) => wantedOf(kind, `${kind}s[${index}]`, item)),
  )
  for (const [index, one] of wanted.entries()) {
    const first = wanted.findIndex(
      ({ kind, name: other }) => kind === one.kind && other === one.name,
    )
    if (first !== index)
      throw new CommandError(`${one.place}: another ${one.kind} is named ${one.name} already`)
  }
  const { routes } = content
  return { wanted, kinds: new Set(said), ...(routes && { routes }) }
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
    throw new CommandError(`The file is not YAML: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    })
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

function wantedOf(kind: Kind, place: string, item: Readonly<Record<string, unknown>>): Wanted {
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
    throw new CommandError(`${place}: ${cause instanceof Error ? cause.message : ''}`, { cause })
  }
}
