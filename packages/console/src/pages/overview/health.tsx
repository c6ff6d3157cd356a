import { Text } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Section } from '../../parts/facts.tsx'
import { formatCount, formatMs } from '../../parts/formats.ts'
import { Answer } from '../../parts/states.tsx'
import { TargetState } from '../../parts/target-state.tsx'
import { overviewTexts } from '../../texts/operation.ts'

type Target = Reply<'listProviders'>['data'][number]['targets'][number]

const worst = { open: 0, 'half-open': 1, closed: 2 } as const

const columns: readonly TableColumn<Target>[] = [
  { title: overviewTexts.target, cell: ({ target }) => target, sortValue: ({ target }) => target },
  {
    title: overviewTexts.state,
    cell: (target) => <TargetState of={target} />,
    sortValue: ({ breaker }) => worst[breaker],
  },
  {
    title: overviewTexts.shortP50,
    cell: ({ firstContentP50Ms }) => formatMs(firstContentP50Ms),
    sortValue: ({ firstContentP50Ms }) => firstContentP50Ms,
    isNumber: true,
  },
  {
    title: overviewTexts.shortP95,
    cell: ({ firstContentP95Ms }) => formatMs(firstContentP95Ms),
    sortValue: ({ firstContentP95Ms }) => firstContentP95Ms,
    isNumber: true,
  },
  {
    title: overviewTexts.seen,
    cell: ({ observations }) => formatCount(observations),
    sortValue: ({ observations }) => observations,
    isNumber: true,
  },
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
