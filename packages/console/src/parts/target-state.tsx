import { Badge, Text } from '@mantine/core'
import type { Reply } from '../api/client.ts'
import { useNamed } from '../api/names.ts'
import { modelTexts } from '../texts/operation.ts'

type Target = Reply<'listProviders'>['data'][number]['targets'][number]

const colors = { open: 'red', 'half-open': 'orange', closed: 'teal' } as const

/** The state of a target's circuit breaker, and the keys for which it is open. */
export function TargetState({
  of: { breaker, refusedKeys, observations },
}: {
  readonly of: Pick<Target, 'breaker' | 'refusedKeys' | 'observations'>
}) {
  const named = useNamed(refusedKeys)
  const isFailing = breaker === 'closed' && refusedKeys.length > 0
  const isUnknown = breaker === 'closed' && observations === 0
  const [color, text] = isFailing
    ? ['orange', modelTexts.failing]
    : isUnknown
      ? ['gray', modelTexts.unanswered]
      : [colors[breaker], modelTexts.breaker[breaker]]
  return (
    <>
      <Badge color={color}>{text}</Badge>
      {refusedKeys.length > 0 && (
        <Text size="xs">
          {modelTexts.refused(refusedKeys.map((id) => named.get(id)?.name ?? id).join(', '))}
        </Text>
      )}
    </>
  )
}
