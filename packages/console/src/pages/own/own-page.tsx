import { Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatIn, formatMicroUsd, formatTime } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { keyTexts } from '../../texts/keys.ts'
import { termTexts } from '../../texts/terms.ts'
import { texts } from '../../texts/texts.ts'
import { usageTexts } from '../../texts/usage.ts'
import { KeyState } from '../keys/key-state.tsx'

type Usage = Reply<'getOwnUsage'>
type Limit = Usage['limits'][number]

/** What a plain user has used, their limits and their keys. */
export function OwnPage() {
  const usage = useAnswer('getOwnUsage', { query: { by: 'model' } })
  const keys = useAnswer('listOwnKeys')
  return (
    <Page title={texts.pages.own}>
      <Answer of={usage}>{(found) => <Own of={found} />}</Answer>
      <Section title={usageTexts.own.keys}>
        <Answer of={keys}>
          {({ data }) => (
            <DataTable
              label={usageTexts.own.keys}
              columns={keyColumns}
              rows={data}
              idOf={({ id }) => id}
            />
          )}
        </Answer>
      </Section>
    </Page>
  )
}

const keyColumns: readonly TableColumn<Reply<'listOwnKeys'>['data'][number]>[] = [
  { title: keyTexts.name, cell: ({ name }) => name },
  { title: keyTexts.secret, cell: ({ prefix }) => <Text ff="monospace">{prefix}…</Text> },
  { title: keyTexts.state, cell: (key) => <KeyState of={key} /> },
  {
    title: keyTexts.lastUsed,
    cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? keyTexts.never : formatTime(lastUsedAt)),
  },
]

const modelColumns: readonly TableColumn<Usage['data'][number]>[] = [
  { title: usageTexts.model, cell: (row) => row['model'] ?? usageTexts.nobody },
  { title: usageTexts.cost, cell: (row) => formatMicroUsd(row.costMicroUsd), isNumber: true },
  { title: usageTexts.calls, cell: (row) => formatCount(row.calls), isNumber: true },
  { title: usageTexts.input, cell: (row) => formatCount(row.inputTokens), isNumber: true },
  { title: usageTexts.output, cell: (row) => formatCount(row.outputTokens), isNumber: true },
]

function Own({ of: { key, data, total, limits } }: { readonly of: Usage }) {
  return (
    <>
      <Section title={usageTexts.own.key}>
        <Facts
          facts={[
            [keyTexts.name, key.name],
            [keyTexts.spent, formatMicroUsd(total.costMicroUsd)],
            [keyTexts.calls, formatCount(total.calls)],
          ]}
        />
      </Section>
      <Section title={termTexts.limits}>
        {limits.length === 0 ? (
          <Text c="dimmed">{usageTexts.noLimits}</Text>
        ) : (
          <Facts facts={limits.map((limit) => [limitTitle(limit), limitText(limit)])} />
        )}
      </Section>
      <Section title={usageTexts.own.last}>
        {data.length === 0 ? (
          <Empty title={usageTexts.none}>{usageTexts.noneHint}</Empty>
        ) : (
          <DataTable
            label={usageTexts.own.last}
            columns={modelColumns}
            rows={data}
            idOf={(row) => String(row['model'])}
          />
        )}
      </Section>
    </>
  )
}

const limitTitles: Readonly<Record<string, string>> = {
  'rate requests': termTexts.requestsPerMinute,
  'rate tokens': termTexts.tokensPerMinute,
  'concurrency requests': termTexts.concurrentRequests,
  'budget microUsd': termTexts.budgets,
}

function limitTitle({ of, kind, unit }: Limit): string {
  return `${limitTitles[`${kind} ${unit}`] ?? kind} (${of})`
}

function limitText({ unit, limit, remaining, resetMs, kind }: Limit): string {
  const format = unit === 'microUsd' ? formatMicroUsd : formatCount
  const left = termTexts.left(format(remaining), format(limit))
  if (kind !== 'budget') return left
  return `${left}, ${resetMs === null ? termTexts.never : termTexts.resets(formatIn(resetMs))}`
}
