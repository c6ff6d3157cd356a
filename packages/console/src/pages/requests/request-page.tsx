import { Alert, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatClock, formatCount, formatMicroUsd, formatMs } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer } from '../../parts/states.tsx'
import { useRole } from '../../session.ts'
import { requestTexts } from '../../texts/requests.ts'
import { texts } from '../../texts/texts.ts'
import { NameLink } from '../accounts/names.tsx'
import { Explained, useExplanation } from '../models/explained.tsx'
import { Outcome } from './request-parts.tsx'
import { ContentPart } from './content-part.tsx'
import { Spent } from './spent.tsx'
import classes from './requests.module.css'

type Detail = Reply<'getRequest'>
type Attempt = Detail['timeline'][number]

/** One call with all its attempts. */
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
  return (
    <>
      <CallSection of={request} />
      <div className={classes.panels}>
        <CallerSection of={request} />
        <Section title={requestTexts.timeline}>
          <Timeline of={request} />
        </Section>
      </div>
      {request.timeline.map((attempt) => (
        <AttemptSection
          key={attempt.attempt}
          of={attempt}
          isAlone={request.timeline.length === 1}
        />
      ))}
      {role !== 'viewer' && <ContentPart id={request.id} />}
      {role !== 'team' && <Routed model={request.model} operation={request.operation} />}
    </>
  )
}

function CallSection({ of: request }: { readonly of: Detail }) {
  const { columns } = requestTexts
  return (
    <Section title={request.id} actions={<Outcome of={request.outcome} />}>
      {request.reason !== null && (
        <Alert color="red" variant="outline" mb="md">
          {request.errorCode}: {request.reason}
        </Alert>
      )}
      <Facts
        facts={[
          [columns.time, formatClock(request.startedAt)],
          [columns.model, request.model],
          [
            columns.target,
            request.provider === '' ? '–' : `${request.provider}/${request.upstreamModel}`,
          ],
          [columns.status, request.status ?? '–'],
          [columns.duration, formatMs(request.durationMs)],
          [columns.first, formatMs(request.firstTokenMs)],
          [requestTexts.used.inputTokens, formatCount(request.inputTokens)],
          [requestTexts.used.outputTokens, formatCount(request.outputTokens)],
          [columns.cost, formatMicroUsd(request.costMicroUsd)],
          [requestTexts.dropped, request.dropped.join(', ') || requestTexts.notDropped],
          ...request.skipped.map((skipped) => [requestTexts.skippedTarget, skipped] as const),
        ]}
      />
    </Section>
  )
}

function CallerSection({ of: request }: { readonly of: Detail }) {
  const { columns } = requestTexts
  const { key, user, team } = request
  return (
    <Section title={requestTexts.caller}>
      <Facts
        facts={[
          [columns.key, <NameLink key="key" id={key} none="–" />],
          [columns.user, <NameLink key="user" id={user} none="–" />],
          [columns.team, <NameLink key="team" id={team} none="–" />],
          [columns.tags, request.tags.join(', ') || '–'],
          [requestTexts.format, request.format ?? '–'],
          [requestTexts.stream, request.stream ? requestTexts.yes : requestTexts.no],
          [requestTexts.address, request.clientAddress ?? '–'],
          [columns.requestId, request.requestId ?? '–'],
        ]}
      />
    </Section>
  )
}

/** The start, the first token and the end of each attempt on a common time axis. */
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

interface AttemptSectionProps {
  readonly of: Attempt
  /** If true, the call already shows the error. */
  readonly isAlone: boolean
}

function AttemptSection({ of: attempt, isAlone }: AttemptSectionProps) {
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
        ]}
      />
      {attempt.errorCode !== null && !isAlone && (
        <Alert color="red" variant="outline" mt="md">
          {attempt.errorCode}: {attempt.reason ?? ''}
        </Alert>
      )}
      <Spent of={attempt} />
      {attempt.estimated && (
        <Text size="sm" mt="sm">
          {requestTexts.estimated}
        </Text>
      )}
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
