import '@mantine/core/styles/Code.css'
import { Code } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { settingsTexts } from '../../texts/operation.ts'

type Setting = Reply<'getSettings'>['data'][number]

const columns: readonly TableColumn<Setting>[] = [
  {
    title: settingsTexts.path,
    cell: ({ path }) => <Code>{path}</Code>,
    sortValue: ({ path }) => path,
  },
  {
    title: settingsTexts.value,
    cell: ({ value, isHidden }) => (isHidden ? settingsTexts.hidden : shownValue(value)),
    wraps: true,
  },
  {
    title: settingsTexts.source,
    cell: ({ source }) => source,
    sortValue: ({ source }) => source,
  },
]

function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface SettingsTableProps {
  readonly label: string
  readonly rows: readonly Setting[]
}

/** Settings in effect, each with its source. */
export function SettingsTable({ label, rows }: SettingsTableProps) {
  return <DataTable label={label} columns={columns} rows={rows} idOf={({ path }) => path} isCards />
}
