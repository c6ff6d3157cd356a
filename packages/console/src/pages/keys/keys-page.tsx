import { Anchor, Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { useList } from '../../api/queries.ts'
import { type TableColumn, valueColumn } from '../../parts/data-table.tsx'
import { formatTime } from '../../parts/formats.ts'
import { PagedTable, rowsOf } from '../../parts/paged-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { mayChange, useRole } from '../../session.ts'
import { keyTexts } from '../../texts/keys.ts'
import { texts } from '../../texts/texts.ts'
import { useNames } from '../accounts/names.tsx'
import { useSpending } from '../accounts/spending.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyState, lastUseText, stateOf } from './key-state.tsx'

type Key = Reply<'listKeys'>['data'][number]

/** All keys that the role may see. */
export function KeysPage() {
  const mayCreate = mayChange('accounts', useRole())
  return (
    <Page title={texts.pages.keys} actions={mayCreate && <CreateKey />}>
      <KeyTable />
    </Page>
  )
}

/** A table of keys, limited to those of one owner if it is given. */
export function KeyTable({ ownerId }: { readonly ownerId?: string }) {
  const list = useList('listKeys', ownerId === undefined ? {} : { ownerId })
  const nameOf = useNames(rowsOf(list).map((key) => key.ownerId))
  const spending = useSpending<Key>('key')
  const columns: readonly TableColumn<Key>[] = [
    {
      title: keyTexts.name,
      cell: ({ id, name }) => (
        <Anchor href={`#/keys/${id}`} underline="always">
          {name}
        </Anchor>
      ),
      sortValue: ({ name }) => name,
    },
    {
      title: keyTexts.secret,
      cell: ({ prefix }) => (
        <Text ff="monospace" size="sm">
          {prefix}…
        </Text>
      ),
    },
    { title: keyTexts.state, cell: (key) => <KeyState of={key} />, sortValue: stateOf },
    valueColumn(keyTexts.owner, ({ ownerId: id }) =>
      id === undefined ? keyTexts.nobody : nameOf(id),
    ),
    ...spending,
    valueColumn(keyTexts.lastUsed, ({ lastUsedAt }) => lastUsedAt, lastUseText),
    {
      ...valueColumn(keyTexts.created, ({ createdAt }: Key) => createdAt, formatTime),
      isExtra: true,
    },
  ]
  return (
    <PagedTable
      label={texts.pages.keys}
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      empty={<Empty title={keyTexts.none}>{keyTexts.noneHint}</Empty>}
    />
  )
}
