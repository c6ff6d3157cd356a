import { Badge } from '@mantine/core'
import { requestTexts } from '../../texts/requests.ts'

const colors: Readonly<Record<string, string>> = {
  completed: 'teal',
  failed: 'red',
  incomplete: 'orange',
  cancelled: 'gray',
  running: 'blue',
  refused: 'orange',
}

/** How a call or an attempt ended, or that it is still running. */
export function Outcome({
  of,
  status,
}: {
  readonly of: string
  /** The HTTP status, shown if it is an error status. */
  readonly status?: number | null | undefined
}) {
  const names: Readonly<Record<string, string>> = requestTexts.outcomes
  return (
    <Badge color={colors[of] ?? 'gray'}>
      {names[of] ?? of}
      {(status ?? 0) >= 400 && ` ${status}`}
    </Badge>
  )
}
