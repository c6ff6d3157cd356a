import { Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, numberColumn, type TableColumn, valueColumn } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { formatCount, formatMs } from '../../parts/formats.ts'
import { Answer } from '../../parts/states.tsx'
import { TargetState } from '../../parts/target-state.tsx'
import { overviewTexts } from '../../texts/operation.ts'

type Target = Reply<'listProviders'>['data'][number]['targets'][number]

const worst = { open: 0, 'half-open': 1, closed: 2 } as const

const columns: readonly TableColumn<Target>[] = [
  valueColumn(overviewTexts.target, ({ target }) => target),
  {
    title: overviewTexts.state,
    cell: (target) => <TargetState of={target} />,
    sortValue: ({ breaker }) => worst[breaker],
  },
  numberColumn(overviewTexts.shortP50, ({ firstContentP50Ms }) => firstContentP50Ms, formatMs),
  numberColumn(overviewTexts.shortP95, ({ firstContentP95Ms }) => firstContentP95Ms, formatMs),
  numberColumn(overviewTexts.seen, ({ observations }) => observations, formatCount),
]

/** Every target with recent calls, failing ones first. */
export function Health({ refetchMs }: { readonly refetchMs: number }) {
  const found = useAnswer('listProviders', {}, { refetchMs })
  return (
    <Section title={overviewTexts.health}>
      <Answer of={found}>
        {({ data }) => {
          const targets = data
            .flatMap((provider) => provider.targets)
            .toSorted((one, other) => worst[one.breaker] - worst[other.breaker])
          if (targets.length === 0) return <Text size="sm">{overviewTexts.unasked}</Text>
          return (
            <>
              <Text size="sm" c="dimmed" mb="sm">
                {overviewTexts.healthHint}
              </Text>
              <DataTable
                label={overviewTexts.health}
                columns={columns}
                rows={targets}
                idOf={({ target }) => target}
                isCards
              />
            </>
          )
        }}
      </Answer>
    </Section>
  )
}
