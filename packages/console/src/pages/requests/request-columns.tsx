import { Anchor } from '@mantine/core'
import type { TableColumn } from '../../parts/data-table.tsx'
import { formatClock, formatCount, formatMicroUsd, formatMs } from '../../parts/formats.ts'
import { requestTexts } from '../../texts/requests.ts'
import type { NameOf } from '../accounts/names.tsx'
import type { LiveRequest } from './live.ts'
import { Outcome } from './request-parts.tsx'
import classes from './requests.module.css'

const { columns } = requestTexts

/** The columns of a list of requests. They cannot be sorted, because only the newest requests are loaded. */
export function requestColumns(names: NameOf): readonly TableColumn<LiveRequest>[] {
  const nameOf = (id: string | null | undefined) => (id ? names(id) : '–')
  return [
    {
      title: columns.time,
      cell: ({ id, startedAt }) => (
        <Anchor href={`#/requests/${id}`} size="sm">
          {formatClock(startedAt)}
        </Anchor>
      ),
    },
    { title: columns.model, cell: (request) => <Asked of={request} /> },
    {
      title: columns.target,
      cell: targetOf,
      isExtra: true,
    },
    {
      title: columns.outcome,
      cell: ({ outcome, status }) => <Outcome of={outcome ?? 'running'} status={status} />,
    },
    { title: columns.status, cell: ({ status }) => status ?? '–', isNumber: true, isExtra: true },
    { title: columns.duration, cell: ({ durationMs }) => formatMs(durationMs), isNumber: true },
    { title: columns.first, cell: ({ firstTokenMs }) => formatMs(firstTokenMs), isNumber: true },
    { title: columns.input, cell: ({ inputTokens }) => formatCount(inputTokens), isNumber: true },
    {
      title: columns.output,
      cell: ({ outputTokens }) => formatCount(outputTokens),
      isNumber: true,
    },
    {
      title: columns.cost,
      cell: ({ costMicroUsd }) => formatMicroUsd(costMicroUsd),
      isNumber: true,
    },
    { title: columns.key, cell: ({ key }) => nameOf(key) },
    { title: columns.user, cell: ({ user }) => nameOf(user), isExtra: true },
    { title: columns.team, cell: ({ team }) => nameOf(team), isExtra: true },
    { title: columns.operation, cell: ({ operation }) => operation ?? '–', isExtra: true },
    { title: columns.format, cell: ({ format }) => format ?? '–', isExtra: true },
    {
      title: columns.attempts,
      cell: ({ attempts }) => attempts ?? '–',
      isNumber: true,
      isExtra: true,
    },
    { title: columns.tags, cell: ({ tags }) => tags?.join(', ') || '–', isExtra: true },
    { title: columns.requestId, cell: ({ requestId }) => requestId ?? '–', isExtra: true },
    { title: columns.reason, cell: ({ errorCode }) => errorCode ?? '–', isExtra: true },
  ]
}

function targetOf({ provider, upstreamModel }: LiveRequest): string {
  return provider === undefined || provider === '' ? '–' : `${provider}/${upstreamModel}`
}

/** The requested model, and the model that responded if its name differs; or the reason for a refusal. */
function Asked({ of: request }: { readonly of: LiveRequest }) {
  const why = request.message ?? (request.outcome === 'refused' ? request.reason : undefined)
  if (why !== undefined && why !== null)
    return (
      <span className={classes.refused} title={why}>
        {request.model} <span className={classes.target}>{why}</span>
      </span>
    )
  const target = targetOf(request)
  if (request.model === target) return target
  return (
    <>
      {request.model} <span className={classes.target}>→ {target}</span>
    </>
  )
}
