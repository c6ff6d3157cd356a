import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Processor time as a multiple of the thin proxy's, by scenario. */
export type Ratios = Readonly<Record<string, number>>

const file = join(import.meta.dirname, '..', 'kept-ratio.json')

/** The ratios that `--keep` wrote; undefined before the first time. */
export function readKeptRatios(): Ratios | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

export function writeKeptRatios(ratios: Ratios): void {
  const rounded = Object.entries(ratios).map(([name, ratio]) => [name, Number(ratio.toFixed(2))])
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`)
}

/** Dearer than kept by more than this is told; by more than `failsOver`, three times in a row, is a failure. */
const warnsOver = 1.25
const failsOver = 1.6

export type Verdict = 'fine' | 'dearer' | 'too dear'

export interface Judged {
  readonly scenario: string
  readonly ratio: number
  readonly kept: number | undefined
  readonly verdict: Verdict
}

/** A scenario that was never kept is fine: there is nothing to compare it with. */
export function judge(ratios: Ratios, kept: Ratios | undefined): readonly Judged[] {
  return Object.entries(ratios).map(([scenario, ratio]) => {
    const before = kept?.[scenario]
    return { scenario, ratio, kept: before, verdict: verdictOf(ratio / (before ?? ratio)) }
  })
}

function verdictOf(growth: number): Verdict {
  if (growth > failsOver) return 'too dear'
  return growth > warnsOver ? 'dearer' : 'fine'
}
