import { Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatBudget, formatCount, formatIn } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useHasUser } from '../../session.ts'
import { keyTexts } from '../../texts/keys.ts'
import { ownTexts } from '../../texts/own.ts'
import { termTexts } from '../../texts/terms.ts'
import { texts } from '../../texts/texts.ts'
import { usageTexts } from '../../texts/usage.ts'
import { gatewayAddress } from '../keys/gateway-address.ts'
import { Snippets } from '../keys/snippet-tabs.tsx'
import { snippetModel } from '../keys/snippets.ts'
import { formatMeasure, measures } from '../usage/question.ts'
import { OwnKeys } from './own-keys.tsx'

type Usage = Reply<'getOwnUsage'>
type Limit = Usage['limits'][number]

/** What a caller who is not an administrator has used with all of their keys, what is left, and the keys themselves. */
export function OwnPage() {
  const of = useHasUser() ? 'user' : 'key'
  const usage = useAnswer('getOwnUsage', { query: { by: 'model', of } })
  return (
    <Page title={texts.pages.own}>
      <Answer of={usage}>{(found) => <Spent of={found} />}</Answer>
      <OwnKeys />
      <Section title={ownTexts.models}>
        <Answer of={usage}>{(found) => <Models of={found} />}</Answer>
      </Section>
      <Use />
    </Page>
  )
}

function Spent({ of: { total, limits } }: { readonly of: Usage }) {
  return (
    <>
      <Section title={usageTexts.own.last}>
        <Facts
          facts={measures.map((measure) => [
            usageTexts.measures[measure],
            formatMeasure(measure, total[measure]),
          ])}
        />
      </Section>
      <Section title={ownTexts.limits}>
        {limits.length === 0 ? (
          <Text c="dimmed">{ownTexts.noLimits}</Text>
        ) : (
          <Facts facts={limits.map((limit) => [limitTitle(limit), limitText(limit)])} />
        )}
      </Section>
    </>
  )
}

const modelColumns: readonly TableColumn<Usage['data'][number]>[] = [
  { title: usageTexts.model, cell: (row) => row['model'] ?? usageTexts.nobody },
  ...measures.map((measure) => ({
    title: usageTexts.measures[measure],
    cell: (row: Usage['data'][number]) => formatMeasure(measure, row[measure]),
    isNumber: true,
  })),
]

function Models({ of: { data } }: { readonly of: Usage }) {
  return (
    <DataTable
      label={ownTexts.models}
      columns={modelColumns}
      rows={data}
      idOf={(row) => String(row['model'])}
      empty={<Empty title={usageTexts.none}>{usageTexts.noneHint}</Empty>}
      isCards
    />
  )
}

/** How to configure clients for the gateway; the user inserts the copied key. */
function Use() {
  const models = useAnswer('listModels')
  return (
    <Section title={keyTexts.use}>
      <Answer of={models}>
        {({ data }) => (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              {ownTexts.useHint}
            </Text>
            <Snippets
              place={{
                address: gatewayAddress(),
                secret: ownTexts.yourKey,
                model: snippetModel(data),
              }}
            />
          </>
        )}
      </Answer>
    </Section>
  )
}

const limitTitles: Readonly<Record<string, string>> = {
  'rate requests': termTexts.requestsPerMinute,
  'rate tokens': termTexts.tokensPerMinute,
  'concurrency requests': termTexts.concurrentRequests,
  'budget microUsd': termTexts.budgets,
}

function limitTitle({ of, kind, unit }: Limit): string {
  const levels: Readonly<Record<string, string>> = ownTexts.levels
  return `${limitTitles[`${kind} ${unit}`] ?? kind} (${levels[of] ?? of})`
}

function limitText({ unit, limit, remaining, resetMs, kind }: Limit): string {
  const [remains, most] =
    unit === 'microUsd' && remaining !== null && limit !== null
      ? formatBudget({ remainingMicroUsd: remaining, limitMicroUsd: limit })
      : [formatCount(remaining), formatCount(limit)]
  const left = termTexts.left(remains, most)
  if (kind !== 'budget') return left
  return `${left} · ${resetMs === null ? termTexts.never : termTexts.resets(formatIn(resetMs))}`
}
