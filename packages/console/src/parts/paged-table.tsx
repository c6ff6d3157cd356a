import { Button, Group, Text } from '@mantine/core'
import type { RowData } from '@tanstack/react-table'
import { texts } from '../texts/texts.ts'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { Answer } from './states.tsx'

interface Pages<Row> {
  readonly data: { readonly pages: readonly { readonly data: readonly Row[] }[] } | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
}

/** The rows of all pages loaded so far. */
export function rowsOf<Row>({ data }: Pick<Pages<Row>, 'data'>): readonly Row[] {
  return data?.pages.flatMap((page) => page.data) ?? []
}

interface PagedTableProps<Row>
  extends Pick<DataTableProps<Row>, 'label' | 'columns' | 'idOf' | 'empty'> {
  readonly list: Pages<Row>
}

/** A table of a list that is loaded page by page. */
export function PagedTable<Row extends RowData>({ list, ...table }: PagedTableProps<Row>) {
  return (
    <>
      <Answer of={list}>{() => <DataTable {...table} rows={rowsOf(list)} isOfLines />}</Answer>
      {list.hasNextPage && (
        <Group mt="md">
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {texts.more}
          </Button>
          {table.columns.some(({ sortValue }) => sortValue) && (
            <Text size="sm" c="dimmed">
              {texts.sortsLoaded}
            </Text>
          )}
        </Group>
      )}
    </>
  )
}
