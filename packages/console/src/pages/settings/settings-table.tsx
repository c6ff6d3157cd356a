import '@mantine/core/styles/Code.css'
import { Code } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { DataTable, type TableColumn, valueColumn } from '../../parts/data-table.tsx'
import { settingsTexts } from '../../texts/operation.ts'

type Setting = Reply<'getSettings'>['data'][number]

const columns: readonly TableColumn<Setting>[] = [
  valueColumn(
    settingsTexts.path,
    ({ path }) => path,
    (path) => <Code>{path}</Code>,
  ),
  {
    title: settingsTexts.value,
    cell: ({ value, isHidden }) => (isHidden ? settingsTexts.hidden : shownValue(value)),
    wraps: true,
  },
  valueColumn(settingsTexts.source, ({ source }) => source),
]

function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface SettingsTableProps {
  readonly label: string
  readonly rows: readonly Setting[]
  /** Shown if there are none. */
  readonly empty: ReactNode
}

/** Settings in effect, each with its source. */
export function SettingsTable(props: SettingsTableProps) {
  return <DataTable {...props} columns={columns} idOf={({ path }) => path} isCards />
}
