import { isDeepStrictEqual } from 'node:util'
import { isObject } from '@sluice/contract'
import type { Change } from '@sluice/gateway/route/setting-sections.ts'
import type { JsonOption, Printed } from './command.ts'

const signs = { added: '+', changed: '~', removed: '-' } as const

interface Planned {
  readonly changes: readonly Change[]
  /** What is wrong with the result, each as a sentence. */
  readonly problems: readonly string[]
  readonly isApplied: boolean
}

/** What a command prints that has planned changes and perhaps applied them. */
export function printedPlan(
  { changes, problems, isApplied }: Planned,
  { json = false }: JsonOption,
): Printed {
  if (json) return { text: JSON.stringify({ changes, problems, applied: isApplied }, null, 2) }
  return {
    text: planText(changes),
    notes: [
      ...problems.map((problem) => `Warning: ${problem}`),
      isApplied ? 'Applied.' : 'Nothing was changed.',
    ],
  }
}

/** The changes of a plan, a line for each name and one for each of its fields that changes. */
function planText(changes: readonly Change[]): string {
  if (changes.length === 0) return 'Nothing would change.'
  return changes
    .flatMap(({ name, change, before, after }) => [
      `${signs[change]} ${name}`,
      ...fieldLines(before, after),
    ])
    .join('\n')
}

function fieldLines(before: unknown, after: unknown): readonly string[] {
  if (!isObject(before) && !isObject(after))
    return [before, after].flatMap((value, at) =>
      value === null ? [] : [`    ${at === 0 ? '-' : '+'} ${JSON.stringify(value)}`],
    )
  const was = isObject(before) ? before : {}
  const is = isObject(after) ? after : {}
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((field) => {
    if (isDeepStrictEqual(was[field], is[field])) return []
    return [
      ...(field in was ? [`    - ${field}: ${JSON.stringify(was[field])}`] : []),
      ...(field in is ? [`    + ${field}: ${JSON.stringify(is[field])}`] : []),
    ]
  })
}
