import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { formatCompact, formatCount, formatMicroUsd } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { modelTexts, overviewTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { formatMs } from '../requests/request-parts.tsx'
import classes from './overview.module.css'

type Overview = Reply<'getOverview'>
type Row = Overview['models'][number]
type Days = keyof typeof overviewTexts.times

const hourMs = 3_600_000
const refetchMs = 30_000

/** What was asked, what failed, what it cost and how fast it was. */
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
      <Answer of={found}>{(overview) => <Sums of={overview} />}</Answer>
      {role !== 'team' && <Health />}
    </Page>
  )
}

function Sums({
  of: { total, before, series, step, models, providers, teams },
}: {
  readonly of: Overview
}) {
  if ((total.attempts ?? 0) === 0)
    return <Empty title={overviewTexts.none}>{overviewTexts.noneHint}</Empty>
  const tokens = (row: Row) => (row.inputTokens ?? 0) + (row.outputTokens ?? 0)
  const failed = (row: Row) => Number(row['failed'] ?? 0)
  return (
    <>
      <dl className={classes.figures}>
        <Figure
          title={overviewTexts.calls}
          now={total.calls}
          was={before.calls}
          format={formatCount}
        />
        <Figure
          title={overviewTexts.failed}
          now={failed(total)}
          was={failed(before)}
          format={formatCount}
        />
        <Figure
          title={overviewTexts.cost}
          now={total.costMicroUsd}
          was={before.costMicroUsd}
          format={formatMicroUsd}
          {...((total.unknownCosts ?? 0) > 0 && {
            note: `${formatCount(total.unknownCosts)} ${overviewTexts.unknownCosts}`,
          })}
        />
        <Figure
          title={overviewTexts.tokens}
          now={tokens(total)}
          was={tokens(before)}
          format={(count) => formatCompact(count ?? 0)}
        />
        <Figure
          title={overviewTexts.firstP50}
          now={total.firstTokenP50Ms}
          was={before.firstTokenP50Ms}
          format={formatMs}
        />
        <Figure
          title={overviewTexts.firstP95}
          now={total.firstTokenP95Ms}
          was={before.firstTokenP95Ms}
          format={formatMs}
        />
      </dl>
      <Section title={overviewTexts.series}>
        <Bars rows={series} step={step} />
      </Section>
      <Groups title={overviewTexts.models} rows={models} of="model" />
      <Groups title={overviewTexts.providers} rows={providers} of="provider" />
      <Groups title={overviewTexts.teams} rows={teams} of="team" />
    </>
  )
}

interface FigureProps {
  readonly title: string
  readonly now: number | null | undefined
  readonly was: number | null | undefined
  readonly format: (value: number | null | undefined) => string
  readonly note?: string
}

/** A number beside that of the time before. */
function Figure({ title, now, was, format, note }: FigureProps) {
  return (
    <div className={classes.figure}>
      <dt>{title}</dt>
      <dd>
        <span className={classes.number}>{format(now)}</span>
        <span className={classes.was}>
          {changeOf(now, was)} ({overviewTexts.before} {format(was)})
        </span>
        {note !== undefined && <span className={classes.was}>{note}</span>}
      </dd>
    </div>
  )
}

function changeOf(now: number | null | undefined, was: number | null | undefined): string {
  if (now === null || now === undefined || !was) return '–'
  const percent = Math.round(((now - was) / was) * 100)
  if (percent === 0) return overviewTexts.unchanged
  return `${percent > 0 ? '▲ +' : '▼ '}${percent} %`
}

const place = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** Requests of each step, the failed ones at the foot. The list says the same to those who do not see the bars. */
function Bars({ rows, step }: { readonly rows: readonly Row[]; readonly step: string }) {
  const most = Math.max(1, ...rows.map(({ attempts }) => attempts ?? 0))
  return (
    <ul className={classes.bars}>
      {rows.map((row) => {
        const failed = Number(row['failed'] ?? 0)
        const at = place.format(new Date(String(row[step])))
        const label = `${at}: ${formatCount(row.calls)} ${overviewTexts.calls}, ${failed} ${overviewTexts.failed}`
        return (
          <li key={at} title={label} className={classes.bar}>
            <span className={classes.unseen}>{label}</span>
            <span
              className={classes.good}
              style={{ height: `${(((row.attempts ?? 0) - failed) / most) * 100}%` }}
            />
            <span className={classes.bad} style={{ height: `${(failed / most) * 100}%` }} />
          </li>
        )
      })}
    </ul>
  )
}

interface GroupsProps {
  readonly title: string
  readonly rows: readonly Row[]
  readonly of: string
}

function Groups({ title, rows, of }: GroupsProps) {
  const nameOf = (row: Row) => String(row[of] ?? (of === 'team' ? overviewTexts.noTeam : '–'))
  return (
    <Section title={title}>
      <DataTable
        label={title}
        columns={[
          { title, cell: nameOf },
          { title: overviewTexts.calls, cell: ({ calls }) => formatCount(calls), isNumber: true },
          {
            title: overviewTexts.failed,
            cell: (row) => formatCount(Number(row['failed'] ?? 0)),
            isNumber: true,
          },
          {
            title: overviewTexts.input,
            cell: ({ inputTokens }) => formatCompact(inputTokens ?? 0),
            isNumber: true,
          },
          {
            title: overviewTexts.output,
            cell: ({ outputTokens }) => formatCompact(outputTokens ?? 0),
            isNumber: true,
          },
          {
            title: overviewTexts.cost,
            cell: ({ costMicroUsd }) => formatMicroUsd(costMicroUsd),
            isNumber: true,
          },
          {
            title: overviewTexts.firstP50,
            cell: ({ firstTokenP50Ms }) => formatMs(firstTokenP50Ms),
            isNumber: true,
          },
          {
            title: overviewTexts.firstP95,
            cell: ({ firstTokenP95Ms }) => formatMs(firstTokenP95Ms),
            isNumber: true,
          },
        ]}
        rows={rows}
        idOf={nameOf}
      />
    </Section>
  )
}

/** Targets that do not answer, of all that were asked lately. */
function Health() {
  const found = useAnswer('listProviders', {}, { refetchMs })
  return (
    <Section title={overviewTexts.health}>
      <Answer of={found}>
        {({ data }) => {
          const targets = data.flatMap((provider) => provider.targets)
          const broken = targets.filter(
            ({ breaker, refusedKeys }) => breaker !== 'closed' || refusedKeys.length > 0,
          )
          if (targets.length === 0) return <Text size="sm">{overviewTexts.unasked}</Text>
          if (broken.length === 0) return <Text size="sm">{overviewTexts.healthy}</Text>
          return (
            <ul className={classes.broken}>
              {broken.map(({ target, breaker, refusedKeys }) => (
                <li key={target}>
                  {target}:{' '}
                  {breaker === 'closed' ? modelTexts.breaker.open : modelTexts.breaker[breaker]}
                  {breaker === 'closed' && ` (${refusedKeys.join(', ')})`}
                </li>
              ))}
            </ul>
          )
        }}
      </Answer>
    </Section>
  )
}
