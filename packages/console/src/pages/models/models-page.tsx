import '@mantine/core/styles/Checkbox.css'
import '@mantine/core/styles/SegmentedControl.css'
import '@mantine/core/styles/FloatingIndicator.css'
import { Alert, Badge, Button, Checkbox, SegmentedControl, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer, useChange } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { formatCompact, formatMicroUsd } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { modelTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { formatMs } from '../requests/request-parts.tsx'
import { RoutesPart } from './routes-part.tsx'
import classes from './models.module.css'

type Tab = keyof typeof modelTexts.tabs
type Model = Reply<'listRoutedModels'>['data'][number]
type Provider = Reply<'listProviders'>['data'][number]
type Price = Model['targets'][number]['price']

/** What can be called, who answers, and where names lead. */
export function ModelsPage() {
  const [tab, setTab] = useState<Tab>('models')
  return (
    <Page title={texts.pages.models}>
      <SegmentedControl
        aria-label={texts.pages.models}
        value={tab}
        onChange={(value) => setTab(value as Tab)}
        data={Object.entries(modelTexts.tabs).map(([value, label]) => ({ value, label }))}
        mb="md"
      />
      {tab === 'models' && <Models />}
      {tab === 'providers' && <Providers />}
      {tab === 'routes' && <RoutesPart />}
    </Page>
  )
}

const modelColumns: readonly TableColumn<Model>[] = [
  {
    title: modelTexts.name,
    cell: ({ id, isRoute, problem }) => (
      <>
        {id}{' '}
        {isRoute && (
          <Badge variant="outline" c="var(--mantine-color-text)">
            {modelTexts.route}
          </Badge>
        )}
        {problem !== null && (
          <Text size="xs" c="var(--mantine-color-error)">
            {problem}
          </Text>
        )}
      </>
    ),
  },
  {
    title: modelTexts.targets,
    cell: ({ targets }) =>
      targets.map(({ target, available, because }) => (
        <div key={`${target} ${because}`}>
          {target}
          {!available && ` (${modelTexts.breaker.open})`}
        </div>
      )),
  },
  { title: modelTexts.price, cell: ({ targets: [first] }) => (first ? priceOf(first.price) : '–') },
  {
    title: modelTexts.limits,
    cell: ({ inputTokenLimit: input, outputTokenLimit: output }) =>
      `${input === null ? '–' : formatCompact(input)} / ${output === null ? '–' : formatCompact(output)}`,
  },
  { title: modelTexts.operations, cell: ({ operations }) => operations.join(', ') },
]

const tokens = 1_000_000

function priceOf(price: Price): string {
  if (price === null) return modelTexts.unknown
  const usd = (name: string) => {
    const rate = price.rates[name]
    return rate ? formatMicroUsd((rate.usd / rate.per) * tokens * 1_000_000) : '–'
  }
  return Object.keys(price.rates).length === 0
    ? formatMicroUsd(0)
    : `${usd('input')} / ${usd('output')}`
}

function Models() {
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search, 200)
  const found = useAnswer('listRoutedModels', { query: { search: asked, limit: 200 } })
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
            <Empty title={modelTexts.noModels} />
          ) : (
            <>
              <DataTable
                label={modelTexts.tabs.models}
                columns={modelColumns}
                rows={data}
                idOf={({ id }) => id}
              />
              <Text size="sm" c="dimmed" mt="xs">
                {data.length} {modelTexts.of} {total}
              </Text>
            </>
          )
        }
      </Answer>
    </>
  )
}

function Providers() {
  const [isAll, setAll] = useState(false)
  const found = useAnswer('listProviders', {}, { refetchMs: 10_000 })
  const role = useRole()
  const mayTest = role === 'owner' || role === 'operator'
  const columns: readonly TableColumn<Provider>[] = [
    { title: modelTexts.name, cell: ({ id, name }) => (name === id ? id : `${name} (${id})`) },
    { title: modelTexts.state, cell: (provider) => <ProviderState of={provider} /> },
    { title: modelTexts.why, cell: ({ why, baseUrl }) => why ?? baseUrl ?? '–' },
    { title: modelTexts.keys, cell: ({ keys }) => keys, isNumber: true },
    {
      title: modelTexts.targets,
      cell: ({ targets }) =>
        targets.map(({ target, breaker, observations, firstContentP50Ms, latencyMs }) => (
          <div key={target}>
            {target}:{' '}
            {breaker === 'closed' && observations === 0
              ? modelTexts.unanswered
              : `${modelTexts.breaker[breaker]}, ${formatMs(firstContentP50Ms ?? latencyMs)}`}
          </div>
        )),
    },
    ...(mayTest
      ? [{ title: modelTexts.test, cell: (provider: Provider) => <TestCall of={provider} /> }]
      : []),
  ]
  return (
    <>
      <Checkbox
        label={modelTexts.onlyOn}
        checked={!isAll}
        onChange={() => setAll(!isAll)}
        mb="md"
      />
      <Answer of={found}>
        {({ data }) => (
          <DataTable
            label={modelTexts.tabs.providers}
            columns={columns}
            rows={data.filter(({ on }) => isAll || on)}
            idOf={({ id }) => id}
          />
        )}
      </Answer>
    </>
  )
}

function ProviderState({ of: { on, restingKeys } }: { readonly of: Provider }) {
  return (
    <>
      <Badge color={on ? 'teal' : 'gray'} variant="outline" c="var(--mantine-color-text)">
        {on ? modelTexts.on : modelTexts.off}
      </Badge>
      {restingKeys.map(({ position, until }) => (
        <Text key={position} size="xs">
          {modelTexts.resting
            .replace('{position}', String(position))
            .replace('{until}', new Date(until).toLocaleTimeString('en'))}
        </Text>
      ))}
    </>
  )
}

function TestCall({ of: { id, on, name } }: { readonly of: Provider }) {
  const test = useChange('testProvider', ['listProviders'])
  if (!on) return null
  return (
    <div className={classes.test}>
      <Button
        size="xs"
        variant="default"
        loading={test.isPending}
        aria-label={`${modelTexts.test}: ${name}`}
        onClick={() => test.mutate({ path: { id }, body: {} })}
      >
        {modelTexts.test}
      </Button>
      <output>
        {test.data && (
          <Text size="xs">
            {test.data.ok ? modelTexts.works : (test.data.message ?? modelTexts.fails)},{' '}
            {formatMs(test.data.durationMs)}, {formatMicroUsd(test.data.costMicroUsd)}
          </Text>
        )}
        {test.error && (
          <Alert color="red" p="xs">
            {test.error.message}
          </Alert>
        )}
      </output>
    </div>
  )
}
