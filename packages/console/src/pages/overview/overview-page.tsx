import { Anchor, NativeSelect } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { formatCompact, formatCount, formatMicroUsd, formatMs } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer, NothingCalled } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { overviewTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { useNames } from '../accounts/names.ts'
import { Bars } from './bars.tsx'
import { Figure } from './figure.tsx'
import { Health } from './health.tsx'
import { Refused } from './refused.tsx'
import classes from './overview.module.css'

type Overview = Reply<'getOverview'>
type Row = Overview['models'][number]
type Days = keyof typeof overviewTexts.times

const hourMs = 3_600_000
const refetchMs = 30_000

/** Numbers of requests and failures, cost and latency. */
export function OverviewPage() {
  const [days, setDays] = useState<Days>('1')
  const [now] = useState(Date.now)
  const to = now - (now % hourMs) + hourMs
  const query = {
    from: new Date(to - Number(days) * 24 * hourMs).toISOString(),
    to: new Date(to).toISOString(),
  }
  const found = useAnswer('getOverview', { query }, { refetchMs })
  const role = useRole()
  return (
    <Page
      title={texts.pages.overview}
      actions={
        <NativeSelect
          aria-label={overviewTexts.time}
          value={days}
          onChange={({ currentTarget: { value } }) => setDays(value as Days)}
          data={Object.entries(overviewTexts.times).map(([value, label]) => ({ value, label }))}
        />
      }
    >
      <Answer of={found}>{(overview) => <Sums of={overview} time={spans[days]} />}</Answer>
      <Refused query={query} refetchMs={refetchMs} />
      {role !== 'team' && <Health refetchMs={refetchMs} />}
    </Page>
  )
}

/** The names of these periods in the list of requests. */
const spans: Readonly<Record<Days, string>> = { '1': '1d', '7': '7d', '30': '' }

const failedOf = (row: Row) => Number(row['failed'] ?? 0)
const tokensOf = (row: Row) => (row.inputTokens ?? 0) + (row.outputTokens ?? 0)

function Sums({ of, time }: { readonly of: Overview; readonly time: string }) {
  const { total, step, models, providers, teams } = of
  const teamIds = useMemo(
    () => teams.map(({ team }) => (typeof team === 'string' ? team : null)),
    [teams],
  )
  const nameOf = useNames(teamIds)
  if ((total.attempts ?? 0) === 0)
    return <NothingCalled title={overviewTexts.none}>{overviewTexts.noneHint}</NothingCalled>
  const teamOf = ({ team }: Row) => (typeof team === 'string' ? nameOf(team) : overviewTexts.noTeam)
  return (
    <>
      <Figures of={of} />
      <Section title={overviewTexts.series}>
        <Bars bars={barsOf(of)} isHourly={step === 'hour'} />
      </Section>
      <Groups
        title={overviewTexts.models}
        rows={models}
        nameOf={({ model }) => String(model)}
        of={['model', time]}
      />
      <Groups
        title={overviewTexts.providers}
        rows={providers}
        nameOf={({ provider }) => String(provider)}
        of={['provider', time]}
      />
      <Groups title={overviewTexts.teams} rows={teams} nameOf={teamOf} of={['team', time]} />
    </>
  )
}

/** A bar for each hour or day, including those without requests. */
function barsOf({ from, to, step, series }: Overview) {
  const rows = new Map(series.map((row) => [Date.parse(String(row[step])), row]))
  const stepMs = step === 'hour' ? hourMs : 24 * hourMs
  const first = Math.floor(Date.parse(from) / stepMs) * stepMs
  const count = Math.ceil((Date.parse(to) - first) / stepMs)
  return Array.from({ length: count }, (_, place) => {
    const at = first + place * stepMs
    const row = rows.get(at)
    return { at, all: row?.attempts ?? 0, failed: row ? failedOf(row) : 0 }
  })
}

function Figures({ of: { total, before } }: { readonly of: Overview }) {
  const unknown = total.unknownCosts ?? 0
  const tokens = (count: number | null | undefined) => formatCompact(count ?? 0)
  return (
    <dl className={classes.figures}>
      <Figure title={overviewTexts.calls} of={[total.calls, before.calls]} format={formatCount} />
      <Figure
        title={overviewTexts.failed}
        of={[failedOf(total), failedOf(before)]}
        format={formatCount}
        isWorseMore
      />
      <Figure
        title={overviewTexts.cost}
        of={[total.costMicroUsd, before.costMicroUsd]}
        format={formatMicroUsd}
        {...(unknown > 0 && { note: `${formatCount(unknown)} ${overviewTexts.unknownCosts}` })}
      />
      <Figure
        title={overviewTexts.tokens}
        of={[tokensOf(total), tokensOf(before)]}
        format={tokens}
      />
      <Figure
        title={overviewTexts.firstP50}
        of={[total.firstTokenP50Ms, before.firstTokenP50Ms]}
        format={formatMs}
        isWorseMore
      />
      <Figure
        title={overviewTexts.firstP95}
        of={[total.firstTokenP95Ms, before.firstTokenP95Ms]}
        format={formatMs}
        isWorseMore
      />
    </dl>
  )
}

type Numbered = readonly [
  title: string,
  value: (row: Row) => number | null | undefined,
  format: (value: number | null | undefined) => string,
]

const sums: readonly Numbered[] = [
  [overviewTexts.calls, ({ calls }) => calls, formatCount],
  [overviewTexts.failed, failedOf, formatCount],
  [overviewTexts.input, ({ inputTokens }) => inputTokens, (count) => formatCompact(count ?? 0)],
  [overviewTexts.output, ({ outputTokens }) => outputTokens, (count) => formatCompact(count ?? 0)],
  [overviewTexts.cost, ({ costMicroUsd }) => costMicroUsd, formatMicroUsd],
  [overviewTexts.shortP50, ({ firstTokenP50Ms }) => firstTokenP50Ms, formatMs],
  [overviewTexts.shortP95, ({ firstTokenP95Ms }) => firstTokenP95Ms, formatMs],
]

const sumColumns: readonly TableColumn<Row>[] = sums.map(([title, value, format]) => ({
  title,
  cell: (row) => format(value(row)),
  sortValue: value,
  isNumber: true,
}))

interface GroupsProps {
  readonly title: string
  readonly rows: readonly Row[]
  readonly nameOf: (row: Row) => string
  /** The filter of the request list that a name links to, and its period. */
  readonly of: readonly [filter: 'model' | 'provider' | 'team', time: string]
}

function Groups({ title, rows, nameOf, of: [filter, time] }: GroupsProps) {
  const name: TableColumn<Row> = {
    title: overviewTexts[filter],
    cell: (row) => {
      const value = row[filter]
      if (typeof value !== 'string') return nameOf(row)
      const search = new URLSearchParams({ [filter]: value, ...(time !== '' && { time }) })
      return (
        <Anchor href={`#/requests?${search}`} size="sm">
          {nameOf(row)}
        </Anchor>
      )
    },
    sortValue: nameOf,
  }
  return (
    <Section title={title}>
      <DataTable label={title} columns={[name, ...sumColumns]} rows={rows} idOf={nameOf} />
    </Section>
  )
}
