import { Button, Group, Text } from '@mantine/core'
import type { RowData } from '@tanstack/react-table'
import type { ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { DataTable, type TableColumn } from './data-table.tsx'
import { Answer } from './states.tsx'

interface Pages<Row> {
  readonly data: { readonly pages: readonly { readonly data: readonly Row[] }[] } | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
}

interface PagedTableProps<Row> {
  readonly label: string
  readonly list: Pages<Row>
  readonly columns: readonly TableColumn<Row>[]
  readonly idOf: (row: Row) => string
  /** Shown if there are no rows. */
  readonly empty: ReactNode
}

/** A table of a list that is loaded page by page. */
export function PagedTable<Row extends RowData>({
  label,
  list,
  columns,
  idOf,
  empty,
}: PagedTableProps<Row>) {
  return (
    <>
      <Answer of={list}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data)
          if (rows.length === 0) return empty
          return <DataTable label={label} columns={columns} rows={rows} idOf={idOf} isOfLines />
        }}
      </Answer>
      {list.hasNextPage && (
        <Group mt="md">
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {texts.more}
          </Button>
          {columns.some(({ sortValue }) => sortValue) && (
            <Text size="sm" c="dimmed">
              {texts.sortsLoaded}
            </Text>
          )}
        </Group>
      )}
    </>
  )
}
