import { Badge, Button, Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { useList } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { formatTime, isPast } from '../../parts/formats.ts'
import { texts } from '../../texts/texts.ts'
import { keyTexts } from '../../texts/keys.ts'

type Key = Reply<'listKeys'>['data'][number]

const columns: readonly TableColumn<Key>[] = [
  { title: keyTexts.name, cell: ({ name }) => name },
  { title: keyTexts.secret, cell: ({ prefix }) => <Text ff="monospace">{prefix}…</Text> },
  { title: keyTexts.state, cell: (key) => <KeyState of={key} /> },
  { title: keyTexts.lastUsed, cell: ({ lastUsedAt }) => formatTime(lastUsedAt) },
  { title: keyTexts.created, cell: ({ createdAt }) => formatTime(createdAt) },
]

/** All keys that the role may see. */
export function KeysPage() {
  const list = useList('listKeys')
  return (
    <Page title={texts.pages.keys}>
      <Answer of={list}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data)
          return rows.length === 0 ? (
            <Empty title={keyTexts.none}>{keyTexts.noneHint}</Empty>
          ) : (
            <DataTable
              label={texts.pages.keys}
              columns={columns}
              rows={rows}
              idOf={({ id }) => id}
            />
          )
        }}
      </Answer>
      {list.hasNextPage && (
        <Button
          mt="md"
          variant="default"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {texts.more}
        </Button>
      )}
    </Page>
  )
}

function KeyState({ of: { revokedAt, disabledAt, expiresAt } }: { readonly of: Key }) {
  if (revokedAt !== undefined) return <Badge color="gray">{keyTexts.revoked}</Badge>
  if (disabledAt !== undefined) return <Badge color="gray">{keyTexts.disabled}</Badge>
  if (isPast(expiresAt)) return <Badge color="gray">{keyTexts.expired}</Badge>
  return <Badge>{keyTexts.valid}</Badge>
}
