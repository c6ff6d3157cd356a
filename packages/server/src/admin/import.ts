import { oneOf, Type } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { accountsImport } from '@sluice/gateway/accounts/import-accounts.ts'
import { endpoint, owners } from '../endpoint.ts'
import { constant, described, list, object, text } from '../shapes.ts'
import { accountTerms, checkedTerms, closed, optionals, terms, withBudgetIds } from './schemas.ts'

const time = Type.Integer({ minimum: 0, description: 'Milliseconds since the epoch.' })
const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const hashScheme = Type.Enum(['whole'], {
  description:
    'whole: the hash is of the whole secret. Default: of the secret without its leading sk-.',
})
const idOf = (prefixes: string) => Type.String({ pattern: `^(?:${prefixes})_[0-9A-Za-z]{16}$` })
const name = Type.String({ minLength: 1, maxLength: 200 })
const prefix = Type.String({ maxLength: 32, description: 'What lists show of the secret.' })

/** More than any installation has; a request is at most as large as other bodies. */
const importedMax = 100_000

const account = closed({
  id: idOf('org|team|user'),
  kind: oneOf(['organization', 'team', 'user']),
  name,
  createdAt: time,
  ...optionals({ parentId: idOf('org|team'), disabledAt: time, ...accountTerms }),
})

const olderSecret = closed({
  hash,
  prefix,
  expiresAt: time,
  ...optionals({ hashScheme }),
})

const key = closed({
  id: idOf('key'),
  name,
  hash,
  prefix,
  createdAt: time,
  ...optionals({
    hashScheme,
    ownerId: idOf('team|user'),
    disabledAt: time,
    olderSecrets: Type.Array(olderSecret, { maxItems: 4 }),
    ...terms,
  }),
})

const body = closed({
  source: Type.String({
    pattern: '^[\\w.-]{1,64}$',
    description: 'The gateway that they come from, for the audit log.',
  }),
  accounts: Type.Array(account, { maxItems: importedMax }),
  keys: Type.Array(key, { maxItems: importedMax }),
})

/** Adds accounts and keys of another gateway. `sluice import` asks it. */
export const importAccounts = endpoint({
  method: 'POST',
  path: '/admin/v1/import',
  access: owners,
  operationId: 'importAccounts',
  summary: 'Add the organizations, teams, users and keys of another gateway, all or none',
  tag: 'Administration',
  body,
  example: {
    source: 'litellm',
    accounts: [
      { id: 'team_0123456789abcdef', kind: 'team', name: 'research', createdAt: 1_790_000_000_000 },
    ],
    keys: [],
  },
  reply: object({
    object: constant('import'),
    added: described(list(text), 'The ids of what was added.'),
    present: described(list(text), 'The ids of what was here before, and was left as it is.'),
  }),
  onStore: ({ body: { source, accounts, keys } }, context) => {
    const imported = {
      source,
      accounts: accounts.map((one) => withBudgetIds(checkedTerms(one))),
      keys: keys.map((one) => withBudgetIds(checkedTerms(one))),
    }
    return administer(context, accountsImport(imported))
  },
})
