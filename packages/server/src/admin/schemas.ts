import { invalidRequest, oneOf, operationNames, Type } from '@sluice/contract'
import type { TNull, TOptional, TProperties, TUnion } from 'typebox'
import { createId } from '@sluice/gateway/accounts/secrets.ts'
import type { Changes } from '@sluice/gateway/accounts/terms.ts'
import { isTimeZone } from '@sluice/gateway/settings/time-zone.ts'
import { isAddressBlock } from '@sluice/gateway/settings/address-block.ts'
import type { Budget } from '@sluice/gateway/ports/account.ts'

/** Maximum length of the lists of one level. */
const itemsMax = 100
/** Tags are part of every call and usage sums are grouped by them. */
const tagsMax = 16

const count = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
const word = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const tag = Type.String({ pattern: '^[\\w.:=/@+-]{1,64}$' })

const budget = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        pattern: '^[\\w.-]{1,64}$',
        description:
          'An existing budget with the same window, model and tag keeps its id. In changes, any other budget gets a new one.',
      }),
    ),
    limitMicroUsd: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'In millionths of a US dollar.',
    }),
    window: Type.Union([
      oneOf(['day', 'week', 'month', 'lifetime']),
      Type.Integer({
        minimum: 1,
        maximum: 8_760,
        description: 'A rolling window of this many hours.',
      }),
    ]),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'The time zone of a day, week or month, such as Europe/Berlin. Default: limits.timeZone of the settings.',
      }),
    ),
    resetAt: Type.Optional(
      Type.Integer({
        description:
          'What was spent before does not count, in milliseconds since the epoch. Set by resetBudgets only.',
      }),
    ),
    carried: Type.Optional(
      Type.Object(
        { microUsd: Type.Integer({ minimum: 0 }), at: Type.Integer() },
        {
          additionalProperties: false,
          description:
            'What another gateway had spent of it, in millionths of a US dollar, and when that was read. Set by importAccounts only.',
        },
      ),
    ),
    model: Type.Optional(word(200)),
    tag: Type.Optional(tag),
    overBudget: Type.Optional(
      Type.Object(
        { route: word(200) },
        {
          additionalProperties: false,
          description:
            'A model or route for requests over budget, if their cost there fits the budget or is zero. Default: the request is refused.',
        },
      ),
    ),
  },
  { additionalProperties: false },
)

/** The terms that every level may have. */
export const terms = {
  expiresAt: count('Milliseconds since the epoch.'),
  models: Type.Array(word(200), {
    maxItems: itemsMax,
    description: 'Names, or patterns such as acme/*.',
  }),
  operations: Type.Array(oneOf(operationNames), { maxItems: itemsMax }),
  addresses: Type.Array(word(64), {
    maxItems: itemsMax,
    description: 'Allowed client addresses and CIDR blocks, such as 10.0.0.0/8.',
  }),
  requestsPerMinute: count('Requests per minute.'),
  tokensPerMinute: count('Input and output tokens per minute.'),
  concurrentRequests: count('Concurrent requests.'),
  budgets: Type.Array(budget, { maxItems: itemsMax }),
  output: Type.Enum(['limit', 'reserve', 'refuse'], {
    description:
      'What budgets reserve for a response without a limit: the gateway limits it, the most that the model writes is reserved, or the request is refused. The nearest level applies.',
  }),
  inputBound: Type.Enum(['bytes', 'estimate'], {
    description:
      'How the budgets of this level count input: bytes, the maximum, or an estimate, which can be exceeded.',
  }),
  metadata: Type.Record(Type.String(), Type.String({ maxLength: 512 }), {
    description: 'Up to 16 pairs that the gateway does not interpret.',
  }),
  tags: Type.Array(tag, {
    maxItems: tagsMax,
    description: 'Tags for all requests at this level and below.',
  }),
  contentLogging: Type.Boolean({
    description:
      'Whether prompts and responses are stored, masked. In effect if a level sets true and none sets false.',
  }),
}

/** The terms of accounts. */
export const accountTerms = {
  ...terms,
  ownKeys: Type.Boolean({
    description:
      'Whether users may create, rotate and revoke their own keys. In effect if a level sets true and none sets false.',
  }),
}

const name = word(200)

/** The same properties, all optional. */
export function optionals<P extends TProperties>(properties: P) {
  return Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [field, Type.Optional(schema)]),
  ) as { [Field in keyof P]: TOptional<P[Field]> }
}

/** An object without additional properties. */
export const closed = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })
/** The id of a stored object. */
export const id = word(100)

const role = oneOf(['caller', 'administrator'])
const adminRole = oneOf(['owner', 'operator', 'viewer', 'team'])
/** Checked in the same transaction as the creation: of several concurrent requests one succeeds. */
const unique = Type.Boolean({
  description: 'Refuse with 409 if another object of this kind has the name. Default false.',
})

export const organizationCreation = closed({ name, ...optionals({ unique, ...accountTerms }) })
export const accountCreationBody = closed({
  name,
  ...optionals({ parentId: id, unique, ...accountTerms }),
})
export const keyCreationBody = closed({
  name,
  ...optionals({
    ownerId: id,
    role,
    adminRole,
    unique,
    ...terms,
  }),
})
/** The terms users may set on their own keys; all of them restrict what their team allows. */
export const ownKeyBody = closed({
  name,
  ...optionals({
    expiresAt: terms.expiresAt,
    models: terms.models,
    operations: terms.operations,
    addresses: terms.addresses,
    requestsPerMinute: terms.requestsPerMinute,
    tokensPerMinute: terms.tokensPerMinute,
    concurrentRequests: terms.concurrentRequests,
    budgets: terms.budgets,
  }),
})
/** A term set to null is removed. */
const changesOf = <P extends TProperties>(properties: P) => ({
  name: Type.Optional(name),
  ...optionals(
    Object.fromEntries(
      Object.entries(properties).map(([field, schema]) => [
        field,
        Type.Union([schema, Type.Null()]),
      ]),
    ) as { [Field in keyof P]: TUnion<[P[Field], TNull]> },
  ),
})
export const organizationChangesBody = closed(changesOf(accountTerms))
export const accountChangesBody = closed({
  ...changesOf(accountTerms),
  parentId: Type.Optional(
    Type.Union([id, Type.Null()], {
      description: 'The new parent; earlier usage stays with the previous one.',
    }),
  ),
})
export const keyChangesBody = closed({
  ...changesOf(terms),
  ownerId: Type.Optional(Type.Union([id, Type.Null()])),
  role: Type.Optional(role),
  adminRole: Type.Optional(adminRole),
})
/** 30 days. */
const overlapSecondsMax = 2_592_000
export const rotationBody = closed({
  overlapSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: overlapSecondsMax,
      description: 'How long the old secret remains valid. Default 0.',
    }),
  ),
})

/**
 * As `checkedTerms`, for new objects: adds ids to budgets.
 *
 * @throws GatewayError `invalid_request` with the path of the field.
 */
export function withTerms<Body extends Changes>(
  body: Body,
): Body & { readonly budgets?: readonly Budget[] } {
  const { budgets } = checkedTerms(body)
  return withBudgetIds(
    budgets
      ? { ...body, budgets: budgets.map(({ resetAt: _, carried: _carried, ...one }) => one) }
      : body,
  )
}

/** Adds ids to budgets. */
export function withBudgetIds<Body extends Changes>(
  body: Body,
): Body & { readonly budgets?: readonly Budget[] } {
  const named = body.budgets?.map((one) => ({ ...one, id: one.id ?? createId('budget_') }))
  // Without budgets of its own it has none that lack an id.
  return (named ? { ...body, budgets: named } : body) as Body & { budgets?: readonly Budget[] }
}

/**
 * Checks what the schema cannot express.
 *
 * @throws GatewayError `invalid_request` with the path of the field.
 */
export function checkedTerms<Body extends Changes>(body: Body): Body {
  const { addresses, budgets, metadata } = body
  for (const [index, block] of (addresses ?? []).entries())
    if (!isAddressBlock(block))
      throw invalidRequest('It is neither an IP address nor a CIDR block', `addresses[${index}]`)
  if (Object.keys(metadata ?? {}).length > 16)
    throw invalidRequest("'metadata' may hold at most 16 pairs", 'metadata')
  for (const [index, { window, timeZone }] of (budgets ?? []).entries()) {
    if (timeZone === undefined) continue
    if (typeof window === 'number' || window === 'lifetime')
      throw invalidRequest(
        'Only a day, week or month has a time zone',
        `budgets[${index}].timeZone`,
      )
    if (!isTimeZone(timeZone))
      throw invalidRequest('There is no such time zone', `budgets[${index}].timeZone`)
  }
  for (const [index, { id }] of (budgets ?? []).entries())
    if (id !== undefined && budgets?.findIndex((other) => other.id === id) !== index)
      throw invalidRequest('Another budget has this id', `budgets[${index}].id`)
  return body
}

const time = Type.Integer({ description: 'Milliseconds since the epoch.' })

/** Accounts as they are returned; unset terms are absent. */
export const shownAccountSchema = Type.Object({
  object: oneOf(['organization', 'team', 'user']),
  id,
  kind: oneOf(['organization', 'team', 'user']),
  name,
  createdAt: time,
  ...optionals({
    parentId: id,
    identity: Type.String({
      description: 'A hash of the OpenID Connect identity of a user who has signed in.',
    }),
    disabledAt: time,
    ...accountTerms,
  }),
})
const shownKeyFields = {
  object: oneOf(['key']),
  id,
  name,
  role,
  prefix: Type.String(),
  createdAt: time,
  ...optionals({
    adminRole,
    ownerId: id,
    disabledAt: time,
    revokedAt: time,
    lastUsedAt: time,
    olderSecrets: Type.Array(Type.Object({ prefix: Type.String(), expiresAt: time })),
    ...terms,
  }),
}
export const shownKeySchema = Type.Object(shownKeyFields)
/** A key as its own user sees it. */
export const ownKeySchema = Type.Object({
  ...shownKeyFields,
  ...optionals({
    levels: Type.Array(
      Type.Object({
        id: Type.String(),
        limitMicroUsd: Type.Integer(),
        remainingMicroUsd: Type.Number(),
        resetMs: Type.Union([Type.Integer(), Type.Null()]),
      }),
      { description: 'The remainder of each of its budgets.' },
    ),
  }),
})
export const keyWithSecretSchema = Type.Object({
  ...shownKeyFields,
  secret: Type.String({ description: 'Shown only once.' }),
})
