import { Badge } from '@mantine/core'
import { requestTexts } from '../../texts/operation.ts'

const colours: Readonly<Record<string, string>> = {
  completed: 'teal',
  failed: 'red',
  incomplete: 'orange',
  cancelled: 'gray',
  running: 'blue',
}

/** How a call or an attempt ended, or that it runs. */
export function Outcome({ of }: { readonly of: string }) {
  const names: Readonly<Record<string, string>> = requestTexts.outcomes
  return (
    <Badge
      color={colours[of] ?? 'gray'}
      variant="outline"
      c="var(--mantine-color-text)"
      miw="max-content"
    >
      {names[of] ?? of}
    </Badge>
  )
}

/** Milliseconds as a person reads them; a dash where there are none. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === undefined || ms === null) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

const clock = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** A moment of the last days, to the second. */
export function formatClock(iso: string): string {
  return clock.format(new Date(iso))
}
