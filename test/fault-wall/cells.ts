import { type CallerFault, callerFaultGroups } from './caller-faults.ts'
import type { Fault } from './fault.ts'
import { faultGroups } from './faults.ts'
import { isLight, type Pair, pairs } from './pairs.ts'
import { type CallerCell, callerTrial } from './run-caller-cell.ts'
import { type Cell, upstreamTrials } from './run-cell.ts'
import type { Trial } from './trial.ts'

const faults: readonly Fault[] = faultGroups.flatMap((group) => group.faults)
const callerFaults: readonly CallerFault[] = callerFaultGroups.flatMap((group) => group.faults)

const cells: readonly Cell[] = faults.flatMap((fault) =>
  pairs
    .filter((pair) => (pair.stream ? fault.stream : fault.whole) !== undefined)
    .filter((pair) => fault.isHeavy !== true || isLight(pair))
    .map((pair) => ({ fault, ...pair })),
)

const callerCells: readonly CallerCell[] = callerFaults.flatMap((fault) =>
  pairs
    .filter(({ stream }) => fault.only !== (stream ? 'whole' : 'stream'))
    .filter((pair) => fault.isHeavy !== true || isLight(pair))
    .map((pair) => ({ fault, ...pair })),
)

/** Of each fault one cell that is streamed and one that is not, the pairs in turn: the same cells each time. */
function oneOfEach<C extends Pair & { readonly fault: object }>(all: readonly C[]): readonly C[] {
  const byFault = Map.groupBy(all, ({ fault }) => fault)
  return [...byFault.values()].flatMap((own, index) =>
    [true, false].flatMap((stream) => {
      const fitting = own.filter((cell) => cell.stream === stream)
      return fitting[(index * 7) % Math.max(1, fitting.length)] ?? []
    }),
  )
}

const trialsOf = (
  upstreamCells: readonly Cell[],
  others: readonly CallerCell[],
): readonly Trial[] => [
  ...upstreamCells.flatMap((cell, index) => upstreamTrials(cell, String(index))),
  ...others.map((cell, index) => callerTrial(cell, `c${index}`)),
]

export const allTrials = (): readonly Trial[] => trialsOf(cells, callerCells)
export const someTrials = (): readonly Trial[] => trialsOf(oneOfEach(cells), oneOfEach(callerCells))

export const groups: readonly {
  readonly title: string
  readonly faults: readonly { readonly name: string }[]
}[] = [...faultGroups, ...callerFaultGroups]
