import '@mantine/core/styles/Code.css'
import '@mantine/core/styles/Checkbox.css'
import { Checkbox, Code, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { settingsTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'

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

/** What holds, and where each value came from. */
export function SettingsPage() {
  const [search, setSearch] = useState('')
  const [isOnlySet, setOnlySet] = useState(false)
  const found = useAnswer('getSettings')
  return (
    <Page title={texts.pages.settings}>
      <Group align="end" mb="md">
        <TextInput
          label={settingsTexts.search}
          value={search}
          onChange={({ currentTarget: { value } }) => setSearch(value)}
          flex="1 1 14rem"
          maw="24rem"
        />
        <Checkbox
          label={settingsTexts.onlySet}
          checked={isOnlySet}
          onChange={() => setOnlySet(!isOnlySet)}
          mb="xs"
        />
      </Group>
      <Answer of={found}>
        {({ data, file }) => {
          const rows = data.filter(
            ({ path, source }) =>
              !(isOnlySet && source === 'default') &&
              `${path} ${source}`.toLowerCase().includes(search.toLowerCase()),
          )
          return (
            <>
              {rows.length === 0 ? (
                <Empty title={settingsTexts.none} />
              ) : (
                <DataTable
                  label={texts.pages.settings}
                  columns={columns}
                  rows={rows}
                  idOf={({ path }) => path}
                />
              )}
              <Text size="sm" c="dimmed" mt="xs">
                {settingsTexts.file}: {file}
              </Text>
            </>
          )
        }}
      </Answer>
    </Page>
  )
}
