import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { formatMicroUsd } from '../../parts/formats.ts'
import { ErrorMessage } from '../../parts/states.tsx'
import { usageTexts } from '../../texts/usage.ts'
import classes from './usage.module.css'

type Compared = Reply<'reconcileUsage'>
type Difference = Compared['differences'][number]

function shown(of: Difference['of'], value: number): string {
  if (of !== 'USD') return String(Math.round(value))
  return value > 0 && value < 0.0001 ? formatMicroUsd(value * 1_000_000) : value.toFixed(4)
}

const columns: readonly TableColumn<Difference>[] = [
  { title: usageTexts.day, cell: ({ day }) => day },
  { title: usageTexts.model, cell: ({ model }) => model || usageTexts.all },
  { title: usageTexts.of, cell: ({ of }) => of },
  { title: usageTexts.billed, cell: ({ of, billed }) => shown(of, billed), isNumber: true },
  { title: usageTexts.ledger, cell: ({ of, ledger }) => shown(of, ledger), isNumber: true },
  {
    title: usageTexts.difference,
    cell: ({ of, billed, ledger }) => shown(of, billed - ledger),
    isNumber: true,
  },
]

/** Compares a provider's bill with the ledger. */
export function Reconcile() {
  const [file, setFile] = useState<File>()
  const compare = useChange('reconcileUsage', [])
  const [unread, setUnread] = useState<string>()
  async function submit(): Promise<void> {
    setUnread(undefined)
    // The browser cannot read a file that has changed since it was chosen.
    const csv = await file?.text().catch(() => setUnread(usageTexts.unread))
    if (csv !== undefined) compare.mutate({ body: { csv } })
  }
  return (
    <Section title={usageTexts.bill}>
      <Text c="dimmed" mb="sm">
        {usageTexts.billHint}
      </Text>
      <Group align="end" gap="0.75rem">
        <label className={classes.file}>
          {usageTexts.file}
          <input
            type="file"
            accept=".csv,.tsv,text/csv"
            // So that the same file can be chosen again after it has changed.
            onClick={(event) => {
              event.currentTarget.value = ''
            }}
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </label>
        <Button disabled={!file} loading={compare.isPending} onClick={() => void submit()}>
          {usageTexts.compare}
        </Button>
      </Group>
      <ErrorMessage of={unread ?? compare.error?.message} mt="sm" />
      {compare.data && <Outcome of={compare.data} />}
    </Section>
  )
}

function Outcome({ of: { form, from, to, differences } }: { readonly of: Compared }) {
  if (from === null || to === null) return <Text mt="sm">{usageTexts.emptyBill}</Text>
  if (differences.length === 0) return <Text mt="sm">{usageTexts.agrees(form, from, to)}</Text>
  return (
    <>
      <Text my="sm">{usageTexts.differs(form, differences.length)}</Text>
      <DataTable
        label={usageTexts.difference}
        columns={columns}
        rows={differences}
        idOf={({ day, model, of }) => `${day} ${model} ${of}`}
      />
    </>
  )
}
