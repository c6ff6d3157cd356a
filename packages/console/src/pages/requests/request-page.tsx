import { Anchor, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatMicroUsd } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { requestTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { Explained, useExplanation } from '../models/explained.tsx'
import { formatClock, formatMs, Outcome } from './request-parts.tsx'
import classes from './requests.module.css'

type Detail = Reply<'getRequest'>
type Attempt = Detail['timeline'][number]

/** One call with each of its attempts. */
export function RequestPage() {
  const { id = '' } = useParams({ strict: false })
  const found = useAnswer('getRequest', { path: { id } })
  return (
    <Page title={requestTexts.one} back={{ to: '/requests', title: texts.pages.requests }}>
      <Answer of={found}>{(request) => <Whole of={request} />}</Answer>
    </Page>
  )
}

function Whole({ of: request }: { readonly of: Detail }) {
  const role = useRole()
  const { columns, filters } = requestTexts
  const link = (name: string, id: string | null) =>
    id === null ? '–' : <Anchor href={`#/${name}/${id}`}>{id}</Anchor>
  return (
    <>
      <Section title={request.id} actions={<Outcome of={request.outcome} />}>
        <Facts
          facts={[
            [columns.time, formatClock(request.startedAt)],
            [columns.model, request.model],
            [columns.target, `${request.provider}/${request.upstreamModel}`],
            [columns.status, request.status ?? '–'],
            [columns.duration, formatMs(request.durationMs)],
            [columns.first, formatMs(request.firstTokenMs)],
            [columns.input, formatCount(request.inputTokens)],
            [columns.output, formatCount(request.outputTokens)],
            [columns.cost, formatMicroUsd(request.costMicroUsd)],
            [columns.key, link('keys', request.key)],
            [filters.user, link('users', request.user)],
            [filters.team, link('teams', request.team)],
            [requestTexts.tags, request.tags.join(', ') || '–'],
            [requestTexts.format, request.format ?? '–'],
            [requestTexts.stream, request.stream ? requestTexts.yes : requestTexts.no],
            [requestTexts.address, request.clientAddress ?? '–'],
            [filters.id, request.requestId ?? '–'],
            [requestTexts.dropped, request.dropped.join(', ') || requestTexts.notDropped],
          ]}
        />
      </Section>
      <Section title={requestTexts.timeline}>
        <Timeline of={request} />
      </Section>
      {request.timeline.map((attempt) => (
        <AttemptSection key={attempt.attempt} of={attempt} />
      ))}
      {role !== 'team' && <Routed model={request.model} operation={request.operation} />}
    </>
  )
}

/** When each attempt began, had its first token and ended, on one line of time. */
function Timeline({ of: { startedAt, durationMs, timeline } }: { readonly of: Detail }) {
  const from = Date.parse(startedAt)
  const whole = Math.max(durationMs, 1)
  const place = (iso: string) =>
    Math.max(0, Math.min(100, ((Date.parse(iso) - from) / whole) * 100))
  return (
    <ol className={classes.bars}>
      {timeline.map((one) => {
        const left = place(one.startedAt)
        const width = Math.max(0.5, place(one.endedAt) - left)
        const first = one.firstTokenAt === null ? left : place(one.firstTokenAt)
        return (
          <li key={one.attempt}>
            <div className={classes.line}>
              <Text size="sm">
                {one.attempt}. {one.provider}/{one.model}
              </Text>
              <Text size="sm" c="dimmed">
                {formatMs(Date.parse(one.startedAt) - from)} →{' '}
                {formatMs(Date.parse(one.endedAt) - from)}
              </Text>
            </div>
            <div className={classes.track}>
              <div
                className={classes.bar}
                data-failed={one.outcome === 'completed' ? undefined : true}
                style={{ left: `${left}%`, width: `${width}%` }}
              />
              <div
                className={classes.waiting}
                style={{ left: `${left}%`, width: `${Math.max(0, first - left)}%` }}
              />
            </div>
          </li>
        )
      })}
    </ol>
  )
}

function AttemptSection({ of: attempt }: { readonly of: Attempt }) {
  const used = Object.entries({ ...attempt.usage, ...attempt.serverToolCalls })
  const price = [attempt.priceSource, attempt.priceDate].filter((part) => part !== null).join(', ')
  return (
    <Section
      title={`${attempt.attempt}. ${attempt.provider}/${attempt.model}`}
      actions={<Outcome of={attempt.outcome} />}
    >
      <Facts
        facts={[
          [requestTexts.started, formatClock(attempt.startedAt)],
          [
            requestTexts.firstToken,
            attempt.firstTokenAt === null ? '–' : formatClock(attempt.firstTokenAt),
          ],
          [requestTexts.ended, formatClock(attempt.endedAt)],
          [requestTexts.columns.duration, formatMs(attempt.durationMs)],
          [requestTexts.upstreamStatus, attempt.upstreamStatus ?? '–'],
          [requestTexts.upstreamId, attempt.upstreamRequestId ?? '–'],
          [requestTexts.columns.cost, formatMicroUsd(attempt.costMicroUsd)],
          [requestTexts.price, price || '–'],
          ...used.map(([name, count]) => [name, formatCount(count)] as const),
          ...(attempt.errorCode === null
            ? []
            : ([[requestTexts.reason, `${attempt.errorCode}: ${attempt.reason ?? ''}`]] as const)),
        ]}
      />
      {attempt.unsettled && <Text size="sm">{requestTexts.unsettled}</Text>}
    </Section>
  )
}

function Routed({ model, operation }: { readonly model: string; readonly operation: string }) {
  const explanation = useExplanation(model, operation)
  if (!explanation) return null
  return (
    <Section title={requestTexts.explain}>
      <Text size="sm" c="dimmed" mb="sm">
        {requestTexts.explainHint}
      </Text>
      <Answer of={explanation}>{(explained) => <Explained of={explained} label={model} />}</Answer>
    </Section>
  )
}
