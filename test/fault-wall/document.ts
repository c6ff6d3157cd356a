import { callers } from './callers.ts'
import { groups } from './cells.ts'
import { faultGroups } from './faults.ts'
import { speaks, spoken } from './protocols.ts'
import type { Result, Trial } from './trial.ts'

type Entry = readonly [Trial, Result]

/** The table of docs/fault-wall.md, from a run of everything. */
export function formatDocument(results: ReadonlyMap<Trial, Result>): string {
  const entries = [...results]
  const cells = new Set(entries.map(([{ cell }]) => cell))
  const faults = groups.flatMap((group) => group.faults)
  return `${[
    '# The fault wall',
    introduction,
    `${faults.length} faults, ${callers.length} client formats and ${spoken.length} protocols are ` +
      `${cells.size.toLocaleString('en')} cells and ${entries.length.toLocaleString('en')} requests, of which ` +
      `${entries.filter(isRight).length.toLocaleString('en')} passed.`,
    '## Client formats and protocols',
    pairTable(entries),
    ...groups.flatMap(({ title, faults: own }) => [`## ${title}`, faultTable(own, entries)]),
    '## Exceptions',
    exceptionTable(),
  ].join('\n\n')}\n`
}

const introduction = `A fake upstream and fake callers produce each fault below, for every client format with every protocol, whole and streamed. A
cell passes when:

- the caller receives what the table states, in its own format;
- the fallback target receives a request exactly where the table says so;
- the connection to the upstream is closed;
- every attempt has exactly one usage record, with the right outcome;
- nothing remains in the process: no timer, listener, handle or memory. Every wait is limited.

\`npm run faultwall\` runs every cell, \`npm run faultwall -- --write\` writes this file, and \`npm run faultwall -- --only "resets"\`
runs the cells whose names contain that text. \`npm test\` runs one cell of each fault, whole and streamed; in CI it runs all. The
faults and their expected results are tables: \`test/fault-wall/faults.ts\` and \`test/fault-wall/caller-faults.ts\`.

The column "fallback" states what happens when the route has another target. \`yes\`: that target responds instead of the error,
after one or two attempts. \`no\`: it receives no request, because the error is the caller's, the caller has already received
content, or nothing failed.`

const isRight = ([, { wrong }]: Entry): boolean => wrong.length === 0

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}

const passedOf = (entries: readonly Entry[]): string => {
  const right = entries.filter(isRight).length
  return right === entries.length ? String(right) : `**${right} of ${entries.length}**`
}

function pairTable(entries: readonly Entry[]): string {
  const rows = spoken.map((protocol) => [
    protocol.id,
    ...callers.map((caller) =>
      speaks(protocol, caller)
        ? passedOf(
            entries.filter(([{ cell }]) => cell.protocol === protocol && cell.caller === caller),
          )
        : 'not offered',
    ),
  ])
  return table(['requests passed', ...callers.map(({ name }) => name)], rows)
}

function faultTable(
  faults: readonly { readonly name: string }[],
  entries: readonly Entry[],
): string {
  const rows = faults.map((fault) => {
    const own = entries.filter(([{ cell }]) => cell.fault === fault)
    const gotBy = (stream: boolean) =>
      mostOf(own.filter(([{ cell, isBacked }]) => cell.stream === stream && !isBacked)) ||
      mostOf(own.filter(([{ cell }]) => cell.stream === stream)) ||
      '–'
    const isHelped =
      own.some(([{ isBacked }]) => !isBacked) && own.some(([{ isBacked }]) => isBacked)
    return [fault.name, gotBy(false), gotBy(true), isHelped ? 'yes' : 'no', passedOf(own)]
  })
  return table(['fault', 'response', 'stream', 'fallback', 'requests passed'], rows)
}

/** What callers got, the most frequent first. */
function mostOf(entries: readonly Entry[]): string {
  const counts = Map.groupBy(entries, ([, { got }]) => got)
  return [...counts]
    .toSorted(([, left], [, right]) => right.length - left.length)
    .map(([got]) => got.replaceAll('|', '\\|').replaceAll('\n', ' '))
    .join(', or ')
}

function exceptionTable(): string {
  const rows = faultGroups.flatMap(({ faults }) =>
    faults.flatMap(({ name, except = [] }) =>
      except.map(({ words, pairs, whole, stream, why }) => {
        const wanted = stream ?? whole
        const what = wanted && 'status' in wanted ? `error ${wanted.status}` : wanted?.outcome
        return [
          name,
          (words ?? pairs ?? []).join(', '),
          what === 'answer' ? 'the response' : String(what),
          why,
        ]
      }),
    ),
  )
  return table(['fault', 'where', 'instead', 'why'], rows)
}
