import { Alert, Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { addressOf } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatMicroUsd } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { texts } from '../../texts/texts.ts'
import { usageTexts } from '../../texts/usage.ts'
import { BudgetSection } from './budget-section.tsx'
import { Chart } from './chart.tsx'
import { useNaming } from './naming.ts'
import {
  besides,
  type Dimension,
  firstQuestion,
  isPeriod,
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
  // The options are the keys of the text tables, so the values have these types.
  const set = (changes: Record<string, string>) => onChange({ ...question, ...changes } as Question)
  const chosenBy = (value: string) =>
    set({ by: value, and: besides(value as Dimension).some((one) => one === and) ? and : '' })
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

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly of: Readonly<Record<string, string>>
  readonly onChange: (value: string) => void
}

function Choice({ label, value, of, onChange }: ChoiceProps) {
  return (
    <NativeSelect
      label={label}
      value={value}
      data={Object.entries(of).map(([key, name]) => ({ value: key, label: name }))}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

const noRows: readonly Row[] = []

function Sums({
  question,
  query,
}: {
  readonly question: Question
  readonly query: ReturnType<typeof queryOf>
}) {
  const usage = useAnswer('getUsage', { query })
  const naming = useNaming(usage.data?.data ?? noRows)
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
              <Chart picture={pictureOf(data, question, naming)} measure={measure} label={label} />
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
  const nameOf = (row: Row) => naming.nameOf(by, row[by])
  return { title: usageTexts.dimensions[by], cell: nameOf, sortValue: nameOf }
}

const counted = (
  title: string,
  value: (row: Row) => number | null | undefined,
  format: (value: number | null | undefined) => string,
): TableColumn<Row> => ({
  title,
  cell: (row) => format(value(row)),
  sortValue: value,
  isNumber: true,
})

const sumColumns: readonly TableColumn<Row>[] = [
  counted(usageTexts.cost, ({ costMicroUsd }) => costMicroUsd, formatMicroUsd),
  counted(usageTexts.calls, ({ calls }) => calls, formatCount),
  counted(usageTexts.input, ({ inputTokens }) => inputTokens, formatCount),
  counted(usageTexts.output, ({ outputTokens }) => outputTokens, formatCount),
]

function Notes({ unknown, isPartial }: { readonly unknown: number; readonly isPartial: boolean }) {
  return (
    <Group mt="sm">
      {unknown > 0 && <Alert variant="outline">{usageTexts.unknown(formatCount(unknown))}</Alert>}
      {isPartial && <Alert variant="outline">{usageTexts.partial}</Alert>}
    </Group>
  )
}
