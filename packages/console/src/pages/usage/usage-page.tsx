import { Alert, Button, Group, NativeSelect } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { addressOf } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatMicroUsd } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty, Loading } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { texts } from '../../texts/texts.ts'
import { usageTexts } from '../../texts/usage.ts'
import { BudgetSection } from './budget-section.tsx'
import { useNaming } from './naming.ts'
import {
  besides,
  type Dimension,
  firstQuestion,
  pictureOf,
  type Question,
  queryOf,
  type Row,
} from './question.ts'
import { Reconcile } from './reconcile.tsx'
import classes from './usage.module.css'

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }))

/** What was used and what it cost, by one or two dimensions; budgets; and whether a bill agrees. */
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
  // The choices are those of the tables that they are made of.
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

function Sums({
  question,
  query,
}: {
  readonly question: Question
  readonly query: ReturnType<typeof queryOf>
}) {
  const usage = useAnswer('getUsage', { query })
  const naming = useNaming()
  const { by, and, measure } = question
  const columns: readonly TableColumn<Row>[] = [
    { title: usageTexts.dimensions[by], cell: (row) => naming.nameOf(by, row[by]) },
    ...(and === ''
      ? []
      : [{ title: usageTexts.dimensions[and], cell: (row: Row) => naming.nameOf(and, row[and]) }]),
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
              <Suspense fallback={<Loading />}>
                <Chart
                  picture={pictureOf(data, question, naming)}
                  measure={measure}
                  label={label}
                />
              </Suspense>
              <Notes unknown={total.unknownCosts ?? 0} isPartial={nextCursor !== null} />
            </Section>
            <div className={classes.table}>
              <DataTable
                label={usageTexts.table}
                columns={columns}
                rows={data}
                idOf={(row) => `${String(row[by])} ${String(row[and])}`}
              />
            </div>
          </>
        )
      }}
    </Answer>
  )
}

const sumColumns: readonly TableColumn<Row>[] = [
  { title: usageTexts.cost, cell: (row) => formatMicroUsd(row.costMicroUsd), isNumber: true },
  { title: usageTexts.calls, cell: (row) => formatCount(row.calls), isNumber: true },
  { title: usageTexts.input, cell: (row) => formatCount(row.inputTokens), isNumber: true },
  { title: usageTexts.output, cell: (row) => formatCount(row.outputTokens), isNumber: true },
]

function Notes({ unknown, isPartial }: { readonly unknown: number; readonly isPartial: boolean }) {
  return (
    <Group mt="sm">
      {unknown > 0 && <Alert variant="outline">{usageTexts.unknown(formatCount(unknown))}</Alert>}
      {isPartial && <Alert variant="outline">{usageTexts.partial}</Alert>}
    </Group>
  )
}
