import { type LoadReport, runLoad } from '../../packages/sluice/src/cli/load/run-load.ts'
import type { OpenTarget } from './open-targets.ts'
import { residentBytes } from './proc.ts'
import { burst, chat2k, shotOf } from './scenarios.ts'
import { fitLine, type Line } from './statistics.ts'

/** Whether memory grows with the number of requests. */
export interface Soak {
  readonly target: string
  readonly requests: number
  readonly streams: number
  readonly cancelled: number
  readonly failures: LoadReport['failures']
  /** Resident bytes per request, after the warm-up. */
  readonly growth: Line
  readonly firstBytes: number
  readonly lastBytes: number
  readonly samples: readonly (readonly [requests: number, bytes: number])[]
}

export interface SoakOptions {
  readonly requests: number
  readonly streams: number
  readonly tell: (line: string) => void
}

/** A heap finds its size in its first full collections, of which there is one in 100,000 requests or so. */
const warmShare = 0.5
const sampleMs = 1_000
const tellEvery = 20

/** Whole answers and streams mixed evenly; every third stream is left by its caller in the middle. */
export async function soak(
  target: OpenTarget,
  { requests, streams, tell }: SoakOptions,
): Promise<Soak> {
  const { pid } = target
  if (pid === undefined) throw new Error(`${target.name} has no process to look at`)
  const chat = shotOf(chat2k, target)
  const whole = shotOf(burst, target)
  const left = { ...shotOf({ ...burst, model: 'paced-10' }, target), cancelAfterEvents: 10 }
  const every = Math.ceil((requests + streams) / streams)
  const samples: (readonly [number, number])[] = []
  let sent = 0
  const sampling = setInterval(() => {
    samples.push([sent, residentBytes(pid)])
    if (samples.length % tellEvery === 0) tell(`soak: ${sent} of ${requests + streams} requests`)
  }, sampleMs)
  const report = await runLoad({
    url: target.url,
    concurrency: 64,
    requests: requests + streams,
    shot(index) {
      sent = index + 1
      if (index % every !== 0) return chat
      return (index / every) % 3 === 0 ? left : whole
    },
  }).finally(() => clearInterval(sampling))
  const warmed = samples.filter(([count]) => count > (requests + streams) * warmShare)
  return {
    target: target.name,
    requests: report.requests,
    streams: Math.ceil(report.requests / every),
    cancelled: report.cancelled,
    failures: report.failures,
    growth: fitLine(warmed),
    firstBytes: warmed[0]?.[1] ?? 0,
    lastBytes: warmed.at(-1)?.[1] ?? 0,
    samples,
  }
}
