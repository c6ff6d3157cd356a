import { Anchor, Button, Text } from '@mantine/core'
import { useState } from 'react'
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
import { KeyState } from './key-state.tsx'

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

/** Keys, those of one owner where it is given. */
export function KeyTable({ ownerId }: { readonly ownerId?: string }) {
  const list = useList('listKeys', ownerId === undefined ? {} : { ownerId })
  const nameOf = useNames()
  const columns: readonly TableColumn<Key>[] = [
    {
      title: keyTexts.name,
      cell: ({ id, name }) => (
        <Anchor href={`#/keys/${id}`} underline="always">
          {name}
        </Anchor>
      ),
    },
    { title: keyTexts.secret, cell: ({ prefix }) => <Text ff="monospace">{prefix}…</Text> },
    { title: keyTexts.state, cell: (key) => <KeyState of={key} /> },
    { title: keyTexts.owner, cell: (key) => nameOf(key.ownerId) ?? keyTexts.nobody },
    {
      title: keyTexts.lastUsed,
      cell: (key) => (key.lastUsedAt === undefined ? keyTexts.never : formatTime(key.lastUsedAt)),
    },
    { title: keyTexts.created, cell: ({ createdAt }) => formatTime(createdAt) },
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
