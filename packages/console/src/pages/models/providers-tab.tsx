import '@mantine/core/styles/Checkbox.css'
import { Anchor, Badge, Button, Checkbox, Group, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, numberColumn, type TableColumn } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { formatClock, formatMs } from '../../parts/formats.ts'
import { Answer } from '../../parts/states.tsx'
import { TargetState } from '../../parts/target-state.tsx'
import { useRole } from '../../session.ts'
import { modelTexts } from '../../texts/operation.ts'
import { providerTexts } from '../../texts/providers.ts'
import classes from './models.module.css'
import { TestCall } from './test-call.tsx'

type Provider = Reply<'listProviders'>['data'][number]

const refetchMs = 10_000

/** Which providers are enabled, why others are not, and their health. */
export function ProvidersTab() {
  const [isAll, setAll] = useState(false)
  const found = useAnswer('listProviders', {}, { refetchMs })
  const role = useRole()
  const mayTest = role === 'owner' || role === 'operator'
  const columns = useMemo(() => (mayTest ? [...shown, testColumn] : shown), [mayTest])
  return (
    <>
      {role === 'owner' && <AddProvider known={found.data?.data.map(({ id }) => id) ?? []} />}
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

/** Leads to the page of a provider that is not there yet. */
function AddProvider({ known }: { readonly known: readonly string[] }) {
  const [name, setName] = useState('')
  const navigate = useNavigate()
  return (
    <Section title={providerTexts.add}>
      <datalist id="providers">
        {known.map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </datalist>
      <Group align="end">
        <TextInput
          label={providerTexts.addName}
          description={providerTexts.addHint}
          list="providers"
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value.trim())}
        />
        <Button
          disabled={!/^[a-z0-9][a-z0-9._-]*$/.test(name)}
          onClick={() => void navigate({ to: `/models/providers/${encodeURIComponent(name)}` })}
        >
          {providerTexts.addOpen}
        </Button>
      </Group>
    </Section>
  )
}

const shown: readonly TableColumn<Provider>[] = [
  {
    title: modelTexts.name,
    cell: ({ id, name }) => (
      <>
        <Anchor href={`#/models/providers/${encodeURIComponent(id)}`} underline="always" size="sm">
          {name}
        </Anchor>
        {name !== id && <div className={classes.aside}>{id}</div>}
      </>
    ),
    sortValue: ({ name }) => name,
  },
  {
    title: modelTexts.state,
    cell: (provider) => <ProviderState of={provider} />,
    sortValue: ({ on }) => Number(on),
  },
  {
    title: modelTexts.why,
    cell: ({ why, baseUrl, documentation }) => (
      <>
        {why ?? baseUrl ?? '–'}
        {why !== null && documentation !== null && (
          <div className={classes.aside}>{documentation}</div>
        )}
      </>
    ),
    wraps: true,
  },
  numberColumn(modelTexts.keys, ({ keys }) => keys),
  {
    title: modelTexts.targets,
    cell: ({ targets }) =>
      targets.length === 0
        ? '–'
        : targets.map((target) => (
            <div key={target.target} className={classes.seen}>
              {target.target} <TargetState of={target} />
              <span className={classes.aside}>
                {formatMs(target.firstContentP50Ms ?? target.latencyMs)}
              </span>
            </div>
          )),
  },
]

const testColumn: TableColumn<Provider> = {
  title: modelTexts.test,
  cell: ({ id, on, name }) => on && <TestCall provider={id} name={name} />,
}

function ProviderState({ of: { on, restingKeys } }: { readonly of: Provider }) {
  return (
    <>
      <Badge color={on ? 'teal' : 'gray'}>{on ? modelTexts.on : modelTexts.off}</Badge>
      {restingKeys.map(({ position, model, until }) => (
        <Text key={`${position} ${model}`} size="xs">
          {modelTexts.resting(position, formatClock(until))}
        </Text>
      ))}
    </>
  )
}
