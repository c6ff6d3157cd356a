import { Group, Text } from '@mantine/core'
import { useMemo } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { formatBudget, formatMicroUsd } from '../../parts/formats.ts'
import { Answer, Empty } from '../../parts/states.tsx'
import { useHasUser, useMayOwnKeys } from '../../session.ts'
import { keyTexts } from '../../texts/keys.ts'
import { ownTexts } from '../../texts/own.ts'
import { termTexts } from '../../texts/terms.ts'
import { usageTexts } from '../../texts/usage.ts'
import { CreateOwnKey } from '../keys/create-key.tsx'
import { Revoke, Rotate } from '../keys/key-actions.tsx'
import { KeyState, lastUseText } from '../keys/key-state.tsx'

type OwnKey = Reply<'listOwnKeys'>['data'][number]

/** All keys of the user, with the spending and the remaining budgets of each; they can be changed here if the team allows it. */
export function OwnKeys() {
  const mayChange = useMayOwnKeys()
  const hasUser = useHasUser()
  const keys = useAnswer('listOwnKeys')
  const spent = useAnswer(
    'getOwnUsage',
    { query: { by: 'key', of: 'user' } },
    { isEnabled: hasUser },
  )
  // Cells stay mounted only while the columns stay the same; otherwise a dialog that is open in a cell would close.
  const columns = useMemo(
    () => columnsOf({ mayChange, hasUser, spent: spent.data?.data }),
    [mayChange, hasUser, spent.data],
  )
  return (
    <Section title={usageTexts.own.keys} actions={mayChange && <CreateOwnKey />}>
      <Answer of={keys}>
        {({ data }) => (
          <DataTable
            label={usageTexts.own.keys}
            columns={columns}
            rows={data}
            idOf={({ id }) => id}
            empty={
              <Empty title={ownTexts.noKeys}>
                {mayChange ? ownTexts.noKeysHint : ownTexts.askHint}
              </Empty>
            }
            isCards
          />
        )}
      </Answer>
    </Section>
  )
}

interface Seen {
  readonly mayChange: boolean
  readonly hasUser: boolean
  readonly spent: Reply<'getOwnUsage'>['data'] | undefined
}

function columnsOf({ mayChange, hasUser, spent = [] }: Seen): readonly TableColumn<OwnKey>[] {
  const spentOf = new Map(spent.map((row) => [row['key'], row.costMicroUsd]))
  return [
    { title: keyTexts.name, cell: ({ name }) => name },
    {
      title: keyTexts.secret,
      cell: ({ prefix }) => (
        <Text ff="monospace" size="sm">
          {prefix}…
        </Text>
      ),
    },
    { title: keyTexts.state, cell: (key) => <KeyState of={key} /> },
    ...(hasUser
      ? [
          {
            title: ownTexts.spent,
            cell: ({ id }: OwnKey) => formatMicroUsd(spentOf.get(id) ?? 0),
            isNumber: true,
          },
        ]
      : []),
    { title: ownTexts.left, cell: leftOf },
    { title: keyTexts.lastUsed, cell: ({ lastUsedAt }) => lastUseText(lastUsedAt) },
    ...(mayChange ? [{ title: ownTexts.change, cell: actionsOf }] : []),
  ]
}

/** The budgets of the key itself; those of the levels above it are listed among the limits. */
function leftOf({ levels = [] }: OwnKey) {
  if (levels.length === 0) return termTexts.none
  return levels.map((level) => <div key={level.id}>{termTexts.left(...formatBudget(level))}</div>)
}

/** Administrators' keys have no actions here; owners change them on the page of keys. */
function actionsOf({ id, name, role, revokedAt }: OwnKey) {
  if (role !== 'caller' || revokedAt !== undefined) return null
  return (
    <Group gap="xs" wrap="nowrap">
      <Rotate of={{ id, name }} operation="rotateOwnKey" size="xs" />
      <Revoke of={{ id, name }} operation="revokeOwnKey" size="xs" />
    </Group>
  )
}
