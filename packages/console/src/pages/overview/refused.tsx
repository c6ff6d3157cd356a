import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, numberColumn, type TableColumn, valueColumn } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { formatCount, formatTime } from '../../parts/formats.ts'
import { Failure } from '../../parts/states.tsx'
import { overviewTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { useNames } from '../accounts/names.tsx'

type Row = Reply<'listRefusals'>['data'][number]

/** Maximum number of rows shown until the user expands the list, so that the content below stays easy to reach. */
const firstMax = 8

interface RefusedProps {
  readonly query: { readonly from: string; readonly to: string }
  readonly refetchMs: number
}

/** Refused callers in this period, and the reasons; renders nothing if there were none. */
export function Refused({ query, refetchMs }: RefusedProps) {
  const { data, error, refetch } = useAnswer('listRefusals', { query }, { refetchMs })
  const [isWhole, setWhole] = useState(false)
  const nameOf = useNames(data?.data.map(({ key }) => key) ?? [])
  if (!data)
    return error ? (
      <Section title={overviewTexts.refused}>
        <Failure error={error} retry={() => void refetch()} />
      </Section>
    ) : null
  if (data.data.length === 0) return null
  const columns: readonly TableColumn<Row>[] = [
    {
      title: overviewTexts.reason,
      cell: ({ code, status }) => `${status} ${code}`,
      sortValue: ({ code }) => code,
    },
    valueColumn(overviewTexts.key, ({ key }) => nameOf(key)),
    valueColumn(overviewTexts.operation, ({ operation }) => operation),
    numberColumn(overviewTexts.calls, ({ count }) => count, formatCount),
    {
      title: overviewTexts.said,
      cell: ({ lastAt, lastMessage }) => (
        <>
          {lastMessage}{' '}
          <Text span size="xs" c="dimmed">
            {formatTime(Date.parse(lastAt))}
          </Text>
        </>
      ),
      sortValue: ({ lastAt }) => lastAt,
      wraps: true,
    },
  ]
  return (
    <Section title={overviewTexts.refused}>
      <Text size="sm" c="dimmed" mb="sm">
        {overviewTexts.refusedHint}
      </Text>
      <DataTable
        label={overviewTexts.refused}
        columns={columns}
        rows={isWhole ? data.data : data.data.slice(0, firstMax)}
        idOf={idOf}
        isCards
      />
      {!isWhole && data.data.length > firstMax && (
        <Button variant="default" size="xs" mt="md" onClick={() => setWhole(true)}>
          {texts.more}
        </Button>
      )}
    </Section>
  )
}

function idOf({ key, team, operation, code, status }: Row): string {
  return JSON.stringify([key, team, operation, code, status])
}
