import { Anchor, Badge, Text } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { formatTime } from '../../parts/formats.ts'
import { Failure } from '../../parts/states.tsx'
import { overviewTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import classes from './overview.module.css'

type Problem = Reply<'listProblems'>['problems'][number]

/** Maximum number shown until the user expands the list, so that the content below stays easy to reach. */
const firstMax = 5

const places: Readonly<Record<Problem['kind'], string>> = {
  database: 'settings',
  journal: 'settings',
  redis: 'settings',
  provider_locked: 'models?tab=providers',
  provider_off: 'models?tab=providers',
  route_broken: 'models?tab=routes',
  breaker_open: 'models?tab=providers',
  key_refused: 'models?tab=providers',
  key_limited: 'models?tab=providers',
  budget_spent: 'usage',
  budget_near: 'usage',
  price_unknown: 'models',
}

/** What is wrong now, before anything else; one line if nothing is. */
export function Problems({ refetchMs }: { readonly refetchMs: number }) {
  const { data, error, refetch } = useAnswer('listProblems', {}, { refetchMs })
  const [isWhole, setWhole] = useState(false)
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />
  if (!data) return null
  const { parts, problems } = data
  const fine = parts.filter(({ isFine }) => isFine).map(({ name }) => overviewTexts.parts[name])
  const shown = isWhole ? problems : problems.slice(0, firstMax)
  return (
    <section className={classes.problems} aria-label={overviewTexts.problems}>
      <Text size="sm" {...(problems.length > 0 && { c: 'dimmed' })}>
        {problems.length === 0 && `✓ ${overviewTexts.noProblems} `}
        {fine.length > 0 && overviewTexts.working(fine)}
      </Text>
      {problems.length > 0 && (
        <ul>
          {shown.map((problem) => (
            <li key={JSON.stringify([problem.kind, problem.message])}>
              <Line of={problem} />
            </li>
          ))}
        </ul>
      )}
      {shown.length < problems.length && (
        <Anchor component="button" size="sm" onClick={() => setWhole(true)}>
          {texts.more} ({problems.length - shown.length})
        </Anchor>
      )}
    </section>
  )
}

function Line({ of: { severity, kind, message, until } }: { readonly of: Problem }) {
  return (
    <>
      <Badge color={severity === 'error' ? 'red' : 'orange'}>{overviewTexts.kinds[kind]}</Badge>{' '}
      <Anchor href={`#/${places[kind]}`} size="sm">
        {message}
      </Anchor>
      {until !== null && (
        <Text span size="xs" c="dimmed">
          {' '}
          {overviewTexts.until(formatTime(Date.parse(until)))}
        </Text>
      )}
    </>
  )
}
