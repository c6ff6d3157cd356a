import { Anchor, Badge } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { useList } from '../../api/queries.ts'
import { type TableColumn, valueColumn } from '../../parts/data-table.tsx'
import { formatTime } from '../../parts/formats.ts'
import { PagedTable, rowsOf } from '../../parts/paged-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { mayChange, useRole } from '../../session.ts'
import { accountTexts } from '../../texts/accounts.ts'
import { termTexts } from '../../texts/terms.ts'
import { CreateAccount } from './create-account.tsx'
import { type Kind, kinds } from './kinds.ts'
import { useNames } from './names.tsx'
import { useSpending } from './spending.tsx'

type Account = Reply<'listTeams'>['data'][number]

export function OrganizationsPage() {
  return <AccountsPage kind="organization" />
}

export function TeamsPage() {
  return <AccountsPage kind="team" />
}

export function UsersPage() {
  return <AccountsPage kind="user" />
}

/** All accounts of one kind that the role may see. */
function AccountsPage({ kind }: { readonly kind: Kind }) {
  const mayCreate = mayChange(kind === 'user' ? 'accounts' : 'organizations', useRole())
  return (
    <Page
      title={accountTexts.kinds[kind].title}
      actions={mayCreate && <CreateAccount kind={kind} />}
    >
      <AccountTable kind={kind} />
    </Page>
  )
}

/** The accounts of one kind, limited to those of one parent if it is given. */
export function AccountTable({
  kind,
  parentId,
}: {
  readonly kind: Kind
  readonly parentId?: string
}) {
  const list = useList(kinds[kind].list, parentId === undefined ? {} : { parentId })
  const nameOf = useNames(rowsOf(list).map((account) => account.parentId))
  const { title, none, hint } = accountTexts.kinds[kind]
  const parent = valueColumn(accountTexts.parent, ({ parentId: id }: Account) =>
    id === undefined ? accountTexts.noParent : nameOf(id),
  )
  const spending = useSpending<Account>(kind)
  const columns: readonly TableColumn<Account>[] = [
    {
      title: termTexts.name,
      cell: ({ id, name }) => (
        <Anchor href={`#${kinds[kind].path}/${id}`} underline="always">
          {name}
        </Anchor>
      ),
      sortValue: ({ name }) => name,
    },
    ...(kind === 'organization' ? [] : [parent]),
    {
      title: accountTexts.state,
      cell: (account) => <AccountState of={account} />,
      sortValue: ({ disabledAt }) => Number(disabledAt !== undefined),
    },
    ...spending,
    valueColumn(accountTexts.created, ({ createdAt }) => createdAt, formatTime),
  ]
  return (
    <PagedTable
      label={title}
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      empty={<Empty title={none}>{hint}</Empty>}
    />
  )
}

export function AccountState({ of: { disabledAt } }: { readonly of: Pick<Account, 'disabledAt'> }) {
  return (
    <Badge color={disabledAt === undefined ? 'water' : 'gray'}>
      {disabledAt === undefined ? accountTexts.enabled : accountTexts.disabled}
    </Badge>
  )
}
