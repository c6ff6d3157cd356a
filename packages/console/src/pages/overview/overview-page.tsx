import { Anchor } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Choice } from '../../parts/choice.tsx'
import { DataTable, numberColumn, type TableColumn } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { formatCompact, formatCount, formatMicroUsd, formatMs } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import type { Picture } from '../../parts/chart-data.ts'
import { StackedBars } from '../../parts/stacked-bars.tsx'
import { Answer, NothingCalled } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { overviewTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { useNames } from '../accounts/names.tsx'
import { Figure } from './figure.tsx'
import { Health } from './health.tsx'
import { Problems } from './problems.tsx'
import { Refused } from './refused.tsx'
import classes from './overview.module.css'

type Overview = Reply<'getOverview'>
type Row = Overview['models'][number]
type Days = keyof typeof overviewTexts.times

const hourly = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
/** Days are UTC days, because usage is aggregated in UTC. */
const daily = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

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
        <Choice
          aria-label={overviewTexts.time}
          value={days}
          of={overviewTexts.times}
          onChange={setDays}
        />
      }
    >
      {role !== 'team' && <Problems refetchMs={refetchMs} />}
      <Answer of={found}>{(overview) => <Sums of={overview} time={spans[days]} />}</Answer>
      <Refused query={query} refetchMs={refetchMs} />
      {role !== 'team' && <Health refetchMs={refetchMs} />}
    </Page>
  )
}

/** The names of these periods in the list of requests. */
const spans: Readonly<Record<Days, string>> = { '1': '1d', '7': '7d', '30': '' }

const failedOf = (row: Row) => Number(row['failed'] ?? 0)
const formatTokens = (count: number | null | undefined) => formatCompact(count ?? 0)
const tokensOf = (row: Row) => (row.inputTokens ?? 0) + (row.outputTokens ?? 0)

function Sums({ of, time }: { readonly of: Overview; readonly time: string }) {
  const { total, models, providers, teams } = of
  const nameOf = useNames(teams.map(({ team }) => (typeof team === 'string' ? team : null)))
  if ((total.attempts ?? 0) === 0)
    return <NothingCalled title={overviewTexts.none}>{overviewTexts.noneHint}</NothingCalled>
  const teamOf = ({ team }: Row) => (typeof team === 'string' ? nameOf(team) : overviewTexts.noTeam)
  return (
    <>
      <Figures of={of} />
      <Section title={overviewTexts.series}>
        <StackedBars picture={pictureOf(of)} label={overviewTexts.series} />
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
function pictureOf({ from, to, step, series }: Overview): Picture {
  const format = step === 'hour' ? hourly : daily
  const rows = new Map(series.map((row) => [Date.parse(String(row[step])), row]))
  const stepMs = step === 'hour' ? hourMs : 24 * hourMs
  const first = Math.floor(Date.parse(from) / stepMs) * stepMs
  const count = Math.ceil((Date.parse(to) - first) / stepMs)
  const points = Array.from({ length: count }, (_, index) => {
    const at = first + index * stepMs
    const row = rows.get(at)
    const failed = row ? failedOf(row) : 0
    return { place: format.format(at), values: [(row?.attempts ?? 0) - failed, failed] }
  })
  return { series: [overviewTexts.succeeded, overviewTexts.failed], points }
}

function Figures({ of: { total, before } }: { readonly of: Overview }) {
  const unknown = total.unknownCosts ?? 0
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
        format={formatTokens}
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

const sumColumns: readonly TableColumn<Row>[] = [
  numberColumn(overviewTexts.calls, ({ calls }) => calls, formatCount),
  numberColumn(overviewTexts.failed, failedOf, formatCount),
  numberColumn(overviewTexts.input, ({ inputTokens }) => inputTokens, formatTokens),
  numberColumn(overviewTexts.output, ({ outputTokens }) => outputTokens, formatTokens),
  numberColumn(overviewTexts.cost, ({ costMicroUsd }) => costMicroUsd, formatMicroUsd),
  numberColumn(overviewTexts.shortP50, ({ firstTokenP50Ms }) => firstTokenP50Ms, formatMs),
  numberColumn(overviewTexts.shortP95, ({ firstTokenP95Ms }) => firstTokenP95Ms, formatMs),
]

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
