import { type Judged, judge, type Ratios, readKeptRatios, writeKeptRatios } from './kept-ratio.ts'
import { coldStart, measureCold } from './cold.ts'
import { type Bench, type OpenTarget, openBench } from './open-targets.ts'
import { measureRounds, type RoundsOptions } from './rounds.ts'
import { burst, burstGemini, chat2k } from './scenarios.ts'
import { availableTargets } from './targets.ts'

const triesMax = 3
const quickLoads = [chat2k, burst, burstGemini].map((scenario) => ({
  ...scenario,
  durationMs: 600,
}))
const plan = { rounds: 5, warmRequests: 8_000, starts: 2 }
/** Beside more than this of other load the ratio itself grows: 2.3 became 3.7 on a machine with seven jobs per core. */
const othersShareMax = 0.25
/** What is kept is measured longer than what is compared with it. */
const keptPlan = { ...plan, rounds: 15, starts: 6 }

interface Printing {
  readonly print: (line: string) => void
  readonly tell: (line: string) => void
}

/** Compares the gateway with the thin proxy in a few seconds. Returns the exit code: 1 when it is far dearer than kept. */
export async function quick({ print, tell }: Printing): Promise<number> {
  await using bench = await openBench()
  const targets = await openBoth(bench)
  const kept = readKeptRatios()
  for (let attempt = 1; attempt <= triesMax; attempt += 1) {
    const { ratios, othersShare } = await compare(bench, targets, { ...plan, tell })
    const judged = judge(ratios, kept)
    for (const one of judged) print(sentence(one))
    if (judged.every(({ verdict }) => verdict !== 'too dear')) return 0
    if (othersShare > othersShareMax) {
      print(`Warning: nothing can be judged now. ${busySentence(othersShare)}`)
      return 0
    }
    if (attempt < triesMax) print('That may be the moment: measured again.')
  }
  return 1
}

/** Measures the ratios and writes them down for later comparison. */
export async function keep({ print, tell }: Printing): Promise<void> {
  await using bench = await openBench()
  const { ratios, othersShare } = await compare(bench, await openBoth(bench), {
    ...keptPlan,
    tell,
  })
  if (othersShare > othersShareMax) throw new Error(`Nothing is kept. ${busySentence(othersShare)}`)
  writeKeptRatios(ratios)
  for (const one of judge(ratios, readKeptRatios())) print(sentence(one))
}

const both = availableTargets().filter(({ name }) => name === 'thin' || name === 'sluice')

async function openBoth(bench: Bench): Promise<readonly OpenTarget[]> {
  const opened: OpenTarget[] = []
  for (const target of both) opened.push(await bench.open(target))
  return opened
}

interface Compared {
  readonly ratios: Ratios
  /** The largest share that others took of the gateway's core. */
  readonly othersShare: number
}

interface Plan extends RoundsOptions {
  /** Of fresh processes. */
  readonly starts: number
}

async function compare(
  bench: Bench,
  targets: readonly OpenTarget[],
  options: Plan,
): Promise<Compared> {
  const ratios: Record<string, number> = {}
  let othersShare = 0
  for (const scenario of quickLoads) {
    const { rows, leftOut } = await measureRounds(targets, scenario, options)
    const row = rows.find(({ target }) => target === 'sluice')
    if (row?.failures !== 0 || row.ratio === undefined)
      throw new Error(
        `${scenario.name} could not be measured: ${leftOut.join(', ') || 'some requests fail'}`,
      )
    ratios[scenario.name] = row.ratio
    othersShare = Math.max(othersShare, ...rows.map((one) => one.othersShare ?? 0))
  }
  ratios[coldStart.name] = await coldRatio(bench, options)
  return { ratios, othersShare }
}

/** Of the first 2,000 calls of a process. */
const coldCalls = { ...coldStart, ends: [2_000] }

async function coldRatio(bench: Bench, { starts, tell }: Plan): Promise<number> {
  const us: number[] = []
  for (const target of both)
    us.push(...((await measureCold(bench, target, coldCalls, starts))?.cpuUs ?? []))
  tell(`${coldStart.name}: ${starts} starts of each`)
  const [thin = Number.NaN, ours = Number.NaN] = us
  return ours / thin
}

function busySentence(othersShare: number): string {
  return `Other programs took ${Math.round(othersShare * 100)} % of the gateway’s core, which makes large programs dearer than small ones.`
}

function sentence({ scenario, ratio, kept, verdict }: Judged): string {
  const now = `${scenario}: ${ratio.toFixed(2)} times the processor time of the thin proxy`
  if (kept === undefined) return `${now}; nothing kept to compare with (--keep)`
  const compared = `${now}, kept ${kept.toFixed(2)}`
  if (verdict === 'fine') return compared
  return `${verdict === 'dearer' ? 'Warning: ' : ''}${compared}: ${verdict} by ${((ratio / kept - 1) * 100).toFixed(0)} %`
}
