import { formatTable } from '../table.ts'

/** What became of a field of the source. */
export type Verdict = 'taken' | 'changed' | 'not taken'

/** A field of the source, and what became of it. */
export interface FieldReport {
  /** Where it stands: a file and its line, or a table and the rows. */
  readonly place: string
  readonly field: string
  readonly verdict: Verdict
  /** What it has become, or why it was not taken. Never a secret. */
  readonly note: string
}

/** The report as lines, what was lost first. */
export function formatReport(report: readonly FieldReport[]): string {
  const parts = (['not taken', 'changed', 'taken'] as const).flatMap((verdict) => {
    const rows = report.filter((one) => one.verdict === verdict)
    if (rows.length === 0) return []
    const cells = rows.map(({ place, field, note }) => [place, field, note])
    return [
      `${titles[verdict]} (${rows.length})`,
      formatTable(['where', 'field', 'how'], cells),
      '',
    ]
  })
  return parts.join('\n').trimEnd()
}

const titles: Readonly<Record<Verdict, string>> = {
  'not taken': 'Not taken',
  changed: 'Changed',
  taken: 'Taken',
}
