import { Anchor, Button, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useList } from '../../api/queries.ts'
import type { TableColumn } from '../../parts/data-table.tsx'
import { formatTime } from '../../parts/formats.ts'
import { PagedTable } from '../../parts/list-page.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { mayChange, useRole } from '../../session.ts'
import { keyTexts } from '../../texts/keys.ts'
import { texts } from '../../texts/texts.ts'
import { useNames } from '../accounts/names.ts'
import { CreateKey } from './create-key.tsx'
import { KeyState, stateOf } from './key-state.tsx'

type Key = Reply<'listKeys'>['data'][number]

/** All keys that the role may see. */
export function KeysPage() {
  const [isCreating, setCreating] = useState(false)
  const role = useRole()
  return (
    <Page
      title={texts.pages.keys}
      actions={
        mayChange('accounts', role) && (
          <Button onClick={() => setCreating(true)}>{keyTexts.create}</Button>
        )
      }
    >
      <KeyTable />
      <CreateKey isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  )
}

/** A table of keys, limited to those of one owner if it is given. */
export function KeyTable({ ownerId }: { readonly ownerId?: string }) {
  const list = useList('listKeys', ownerId === undefined ? {} : { ownerId })
  const { data } = list
  const owners = useMemo(
    () => data?.pages.flatMap((page) => page.data.map((key) => key.ownerId)) ?? [],
    [data],
  )
  const nameOf = useNames(owners)
  const ownerOf = ({ ownerId: id }: Key) => (id === undefined ? keyTexts.nobody : nameOf(id))
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
    { title: keyTexts.owner, cell: ownerOf, sortValue: ownerOf },
    {
      title: keyTexts.lastUsed,
      cell: (key) => (key.lastUsedAt === undefined ? keyTexts.never : formatTime(key.lastUsedAt)),
      sortValue: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      title: keyTexts.created,
      cell: ({ createdAt }) => formatTime(createdAt),
      sortValue: ({ createdAt }) => createdAt,
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
