import '@mantine/core/styles/Checkbox.css'
import { Checkbox, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAnswer } from '../../api/queries.ts'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { settingsTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { SettingsTable } from './settings-table.tsx'

/** The settings in effect, with the source of each value. */
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
          const isDefault = ({ source }: { readonly source: string }) => source === 'default'
          const rows = data
            .filter(
              (row) =>
                !(isOnlySet && isDefault(row)) &&
                `${row.path} ${row.source}`.toLowerCase().includes(search.toLowerCase()),
            )
            // What somebody has set comes first.
            .toSorted((one, other) => Number(isDefault(one)) - Number(isDefault(other)))
          return (
            <>
              <SettingsTable
                label={texts.pages.settings}
                rows={rows}
                empty={<Empty title={settingsTexts.none} />}
              />
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
