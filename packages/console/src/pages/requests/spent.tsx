import { Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { formatCount, formatMicroUsd } from '../../parts/formats.ts'
import { requestTexts } from '../../texts/requests.ts'
import classes from './requests.module.css'

type Attempt = Reply<'getRequest'>['timeline'][number]

/** The used quantity of one kind, or its cost. */
interface Line {
  readonly name: string
  readonly quantity: number
  /** In millionths of a US dollar; undefined if the quantity is not priced separately. */
  readonly microUsd?: number
}

const columns: readonly TableColumn<Line>[] = [
  { title: requestTexts.kind, cell: ({ name }) => name },
  { title: requestTexts.quantity, cell: ({ quantity }) => formatCount(quantity), isNumber: true },
  {
    title: requestTexts.columns.cost,
    cell: ({ microUsd }) => formatMicroUsd(microUsd),
    isNumber: true,
  },
]

/** The usage of an attempt and the cost of each kind; only the usage if the cost is not known. */
export function Spent({ of: attempt }: { readonly of: Attempt }) {
  const { usage, serverToolCalls, costParts, costMicroUsd } = attempt
  const used = Object.entries({ ...usage, ...serverToolCalls }).map(([name, quantity]) => ({
    name: usedNames[name] ?? name,
    quantity,
  }))
  const priced = (costParts ?? []).map(({ kind, quantity, microUsd }) => ({
    name: pricedNames[kind] ?? kind,
    quantity,
    microUsd,
  }))
  if (used.length === 0 && priced.length === 0) return null
  return (
    <div className={classes.panels}>
      <Lines title={requestTexts.usedTitle} columns={columns.slice(0, 2)} of={used} at={attempt} />
      {costParts === null ? (
        <Text size="sm" c="dimmed" mt="sm">
          {costMicroUsd === null ? requestTexts.unknownPrice : requestTexts.otherPrice}
        </Text>
      ) : (
        <Lines title={requestTexts.pricedTitle} columns={columns} of={priced} at={attempt} />
      )}
    </div>
  )
}

interface LinesProps {
  readonly title: string
  readonly columns: readonly TableColumn<Line>[]
  readonly of: readonly Line[]
  readonly at: Pick<Attempt, 'attempt'>
}

function Lines({ title, columns: shown, of, at: { attempt } }: LinesProps) {
  if (of.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={600} mt="sm" mb={4}>
        {title}
      </Text>
      <DataTable
        label={`${title}: ${attempt}`}
        columns={shown}
        rows={of}
        idOf={({ name }) => name}
      />
    </div>
  )
}

const usedNames: Readonly<Record<string, string>> = requestTexts.used
const pricedNames: Readonly<Record<string, string>> = requestTexts.priced
