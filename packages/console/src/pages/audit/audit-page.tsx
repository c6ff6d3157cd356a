import { Button, Code, Stack, Text } from '@mantine/core'
import '@mantine/core/styles/Code.css'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useList } from '../../api/queries.ts'
import { numberColumn, type TableColumn, valueColumn } from '../../parts/data-table.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { formatTime } from '../../parts/formats.ts'
import { PagedTable, rowsOf } from '../../parts/paged-table.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { useNames } from '../accounts/names.tsx'
import { auditTexts } from '../../texts/audit.ts'
import { texts } from '../../texts/texts.ts'

type Entry = Reply<'listAudit'>['data'][number]

/** The audit log of administrators' actions, newest first. */
export function AuditPage() {
  const [shown, setShown] = useState<Entry>()
  const list = useList('listAudit')
  const names = useNames(rowsOf(list).map(({ actor }) => actor))
  const columns: readonly TableColumn<Entry>[] = [
    numberColumn(auditTexts.number, ({ sequence }) => sequence),
    valueColumn(auditTexts.at, ({ at }) => at, formatTime),
    valueColumn(auditTexts.action, ({ action }) => action),
    valueColumn(auditTexts.target, nameOf),
    valueColumn(auditTexts.actor, ({ actor }) => names(actor)),
    {
      title: auditTexts.change,
      cell: (entry) => (
        <Button
          variant="default"
          size="xs"
          aria-label={`${auditTexts.show}: ${entry.sequence}`}
          onClick={() => setShown(entry)}
        >
          {auditTexts.show}
        </Button>
      ),
    },
  ]
  return (
    <Page title={texts.pages.audit}>
      <PagedTable
        label={texts.pages.audit}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title={auditTexts.none}>{auditTexts.noneHint}</Empty>}
      />
      <Dialog
        title={shown?.action ?? auditTexts.change}
        isOpen={shown !== undefined}
        onClose={() => setShown(undefined)}
        size="lg"
      >
        {shown && <Change of={shown} />}
      </Dialog>
    </Page>
  )
}

/** The name and id of the changed object, or only its id if the entry holds no name. */
function nameOf({ target, before, after }: Entry): string {
  const { name } = (after ?? before ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' ? `${name} (${target})` : target
}

function Change({ of: { before, after, target } }: { readonly of: Entry }) {
  return (
    <Stack>
      <Text>{target}</Text>
      {(
        [
          [auditTexts.before, before],
          [auditTexts.after, after],
        ] as const
      ).map(([title, value]) => (
        <div key={title}>
          <Text fw={600}>{title}</Text>
          {value === null ? (
            <Text c="dimmed">{auditTexts.nothing}</Text>
          ) : (
            <Code block tabIndex={0} c="var(--mantine-color-text)">
              {JSON.stringify(value, null, 2)}
            </Code>
          )}
        </div>
      ))}
    </Stack>
  )
}
