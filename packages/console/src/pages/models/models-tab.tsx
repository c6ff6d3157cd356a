import { Badge, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, numberColumn, type TableColumn } from '../../parts/data-table.tsx'
import { formatCompact, formatMicroUsd, formatMs } from '../../parts/formats.ts'
import { Answer, Empty } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { modelTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import classes from './models.module.css'
import { TestCall } from './test-call.tsx'

type Model = Reply<'listRoutedModels'>['data'][number]
type Target = Model['targets'][number]

const longest = 500
const refetchMs = 10_000

/** Every callable name, with its targets, prices and health. */
export function ModelsTab() {
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search, 200)
  const query = { search: asked, limit: longest }
  const found = useAnswer('listRoutedModels', { query }, { refetchMs })
  const role = useRole()
  const mayTest = role === 'owner' || role === 'operator'
  const columns = useMemo(() => (mayTest ? [...modelColumns, testColumn] : modelColumns), [mayTest])
  return (
    <>
      <TextInput
        label={modelTexts.search}
        value={search}
        onChange={({ currentTarget: { value } }) => setSearch(value)}
        mb="md"
        maw="24rem"
      />
      <Answer of={found}>
        {({ data, total }) =>
          data.length === 0 ? (
            <Empty title={modelTexts.noModels}>{modelTexts.noModelsHint}</Empty>
          ) : (
            <>
              <DataTable
                label={modelTexts.tabs.models}
                columns={columns}
                rows={data}
                idOf={({ id }) => id}
                choiceOf="models"
              />
              <Text size="sm" c="dimmed" mt="xs">
                {modelTexts.shown(data.length, total)}
                {data.length < total && ` · ${texts.sortsLoaded}`}
              </Text>
            </>
          )
        }
      </Answer>
    </>
  )
}

const modelColumns: readonly TableColumn<Model>[] = [
  { title: modelTexts.name, cell: (model) => <Name of={model} />, sortValue: ({ id }) => id },
  {
    title: modelTexts.targets,
    cell: ({ targets }) =>
      targets.map((target) => (
        <TargetLine key={`${target.target} ${target.because}`} of={target} />
      )),
  },
  ...(['input', 'output'] as const).map(
    (kind): TableColumn<Model> => ({
      title: modelTexts[kind],
      cell: ({ targets: [first] }) => priceOf(first, kind),
      sortValue: ({ targets: [first] }) => rateOf(first, kind),
      isNumber: true,
    }),
  ),
  numberColumn(modelTexts.context, ({ inputTokenLimit }) => inputTokenLimit, limitText),
  {
    ...numberColumn(modelTexts.longest, ({ outputTokenLimit }) => outputTokenLimit, limitText),
    isExtra: true,
  },
  {
    title: modelTexts.operations,
    cell: (model) => <Operations of={model} />,
    wraps: true,
  },
]

const testColumn: TableColumn<Model> = {
  title: modelTexts.test,
  cell: ({ id, operations, targets: [first] }) =>
    first &&
    operations.includes('chat') && (
      <TestCall provider={first.provider} model={first.model} name={id} />
    ),
}

function Name({ of: { id, isRoute, problem } }: { readonly of: Model }) {
  return (
    <>
      {id} {isRoute && <Badge size="sm">{modelTexts.route}</Badge>}
      {problem !== null && (
        <Text size="xs" c="var(--mantine-color-error)">
          {problem}
        </Text>
      )}
    </>
  )
}

/** Maximum number of operations shown: a model without a description may have every operation of its provider. */
const operationsShown = 4

function Operations({ of: { operations } }: { readonly of: Model }) {
  const all = operations.join(', ')
  if (operations.length <= operationsShown) return all
  return (
    <details>
      <summary>{modelTexts.operationCount(operations.length)}</summary>
      {all}
    </details>
  )
}

function TargetLine({ of: { target, available, latencyMs } }: { readonly of: Target }) {
  return (
    <div>
      {target}
      {latencyMs !== null && <span className={classes.aside}> {formatMs(latencyMs)}</span>}
      {!available && <span className={classes.wrong}> {modelTexts.breaker.open}</span>}
    </div>
  )
}

const tokens = 1_000_000

/** The price in millionths of a US dollar per million tokens; undefined if it is not known. */
function rateOf(target: Target | undefined, kind: 'input' | 'output'): number | undefined {
  const { price } = target ?? {}
  if (!price) return undefined
  // A free model has no rates.
  if (Object.keys(price.rates).length === 0) return 0
  const rate = price.rates[kind]
  return rate && (rate.usd / rate.per) * tokens * 1_000_000
}

function priceOf(target: Target | undefined, kind: 'input' | 'output') {
  if (target?.price === null) return <span className={classes.aside}>{modelTexts.unknown}</span>
  return formatMicroUsd(rateOf(target, kind))
}

function limitText(limit: number | null | undefined): string {
  return limit === null || limit === undefined ? '–' : formatCompact(limit)
}
