import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { addressOf } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Choice } from '../../parts/choice.tsx'
import { DataTable, numberColumn, type TableColumn, valueColumn } from '../../parts/data-table.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCompact, formatCount, formatMicroUsd } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { StackedBars } from '../../parts/stacked-bars.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { texts } from '../../texts/texts.ts'
import { usageTexts } from '../../texts/usage.ts'
import { BudgetSection } from './budget-section.tsx'
import { useNaming } from './naming.ts'
import {
  besides,
  type Dimension,
  firstQuestion,
  formatMeasure,
  isPeriod,
  measures,
  type Naming,
  pictureOf,
  type Question,
  queryOf,
  type Row,
} from './question.ts'
import { Reconcile } from './reconcile.tsx'
import classes from './usage.module.css'

/** Usage and cost by one or two dimensions, budgets, and the comparison with a bill. */
export function UsagePage() {
  const [question, setQuestion] = useState<Question>(firstQuestion)
  const [now] = useState(() => Date.now())
  const query = queryOf(question, now)
  const role = useRole()
  return (
    <Page
      title={texts.pages.usage}
      actions={(['csv', 'jsonl'] as const).map((format) => (
        <Button
          key={format}
          component="a"
          variant="default"
          href={addressOf('getUsage', { query: { ...query, format } })}
          download={`usage.${format}`}
        >
          {usageTexts[format]}
        </Button>
      ))}
    >
      <Choices question={question} onChange={setQuestion} />
      <Sums question={question} query={query} />
      <BudgetSection />
      {role !== 'team' && <Reconcile />}
    </Page>
  )
}

interface ChoicesProps {
  readonly question: Question
  readonly onChange: (question: Question) => void
}

function Choices({ question, onChange }: ChoicesProps) {
  const { days, by, and, measure } = question
  const set = (changes: Partial<Question>) => onChange({ ...question, ...changes })
  const chosenBy = (chosen: Dimension) =>
    set({ by: chosen, and: besides(chosen).some((one) => one === and) ? and : '' })
  return (
    <fieldset className={classes.question} aria-label={usageTexts.question}>
      <Choice
        label={usageTexts.time}
        value={days}
        of={usageTexts.times}
        onChange={(to) => set({ days: to })}
      />
      <Choice label={usageTexts.by} value={by} of={usageTexts.dimensions} onChange={chosenBy} />
      <Choice
        label={usageTexts.and}
        value={and}
        of={{
          '': usageTexts.nothing,
          ...Object.fromEntries(besides(by).map((one) => [one, usageTexts.dimensions[one]])),
        }}
        onChange={(to) => set({ and: to })}
      />
      <Choice
        label={usageTexts.measure}
        value={measure}
        of={usageTexts.measures}
        onChange={(to) => set({ measure: to })}
      />
    </fieldset>
  )
}

function Sums({
  question,
  query,
}: {
  readonly question: Question
  readonly query: ReturnType<typeof queryOf>
}) {
  const usage = useAnswer('getUsage', { query })
  const naming = useNaming(usage.data?.data ?? [])
  const { by, and, measure } = question
  const columns: readonly TableColumn<Row>[] = [
    nameColumn(by, naming),
    ...(and === '' ? [] : [nameColumn(and, naming)]),
    ...sumColumns,
  ]
  return (
    <Answer of={usage}>
      {({ data, total, nextCursor }) => {
        if (data.length === 0) return <Empty title={usageTexts.none}>{usageTexts.noneHint}</Empty>
        const label = usageTexts.picture(usageTexts.measures[measure], usageTexts.dimensions[by])
        return (
          <>
            <Section title={usageTexts.total}>
              <Facts facts={sumColumns.map(({ title, cell }) => [title, cell(total)])} />
              <StackedBars
                picture={pictureOf(data, question, naming)}
                format={measure === 'costMicroUsd' ? formatMicroUsd : formatCompact}
                label={label}
              />
              <Notes unknown={total.unknownCosts ?? 0} isPartial={nextCursor !== null} />
            </Section>
            <div className={classes.table}>
              <DataTable
                label={usageTexts.table}
                columns={columns}
                // With periods, the latest is usually the most interesting.
                rows={isPeriod(by) ? data.toReversed() : data}
                idOf={(row) => `${String(row[by])} ${String(row[and])}`}
                isOfLines
              />
            </div>
          </>
        )
      }}
    </Answer>
  )
}

function nameColumn(by: Dimension, naming: Naming): TableColumn<Row> {
  return valueColumn(usageTexts.dimensions[by], (row) => naming.nameOf(by, row[by]))
}

const sumColumns = measures.map((measure) =>
  numberColumn(
    usageTexts.measures[measure],
    (row: Row) => row[measure],
    (sum) => formatMeasure(measure, sum),
  ),
)

function Notes({ unknown, isPartial }: { readonly unknown: number; readonly isPartial: boolean }) {
  return (
    <Group mt="sm">
      {unknown > 0 && <Alert variant="outline">{usageTexts.unknown(formatCount(unknown))}</Alert>}
      {isPartial && <Alert variant="outline">{usageTexts.partial}</Alert>}
    </Group>
  )
}
