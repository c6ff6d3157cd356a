import { createHistogram } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { type LoadReport, runLoad } from '../../packages/sluice/src/cli/load/run-load.ts'
import { machineUs, stampOf } from './clock.ts'
import type { OpenTarget } from './open-targets.ts'
import { type CoreTicks, coreTicks, cpuUs, residentBytes } from './proc.ts'
import { type Scenario, shotOf } from './scenarios.ts'

/** One target under one load, once. Times in milliseconds, shares from 0 to 1. */
export interface Cell {
  readonly requests: number
  readonly failures: LoadReport['failures']
  readonly requestsPerSecond: number
  /** The gateway's processor time per request; undefined where its process is not ours to read. */
  readonly cpuUs: number | undefined
  readonly residentBytes: number | undefined
  readonly first: { readonly p50: number; readonly p99: number } | undefined
  /** Until the end of the response. */
  readonly whole: Cell['first']
  /** From the stub's write of an event to its arrival at the client. */
  readonly eventDelay: { readonly p50: number; readonly p99: number } | undefined
  readonly gatewayShare: number | undefined
  /** What others took of the gateway's core. They make its code dearer too: caches go cold, compiling waits. */
  readonly othersShare: number | undefined
  /** Stub and client: close to 1 they are what is slow. */
  readonly loadShare: number
  /** All that ran on the load's core, other people's processes included, and what the host took from it. */
  readonly loadCoreShare: number
  readonly stolenShare: number
}

/** Work put off until later belongs to the requests before it: log lines and records are written in batches. */
const settleMs = 250

export async function measure(target: OpenTarget, scenario: Scenario): Promise<Cell> {
  const shot = shotOf(scenario, target)
  const delays = createHistogram()
  const before = readings(target)
  const report = await runLoad({
    url: target.url,
    concurrency: scenario.connections,
    durationMs: scenario.durationMs,
    spreadMs: scenario.spreadMs ?? 0,
    shot: () => shot,
    onEvent(event) {
      const sentUs = stampOf(event)
      if (sentUs) delays.record(Math.max(1, machineUs() - sentUs))
    },
  })
  const loaded = readings(target)
  await pause(settleMs)
  const settled = readings(target)

  const us = report.seconds * 1e6
  const gatewayUs =
    settled.gateway === undefined ? undefined : settled.gateway - (before.gateway ?? 0)
  const ticks = Math.max(1, loaded.core.total - before.core.total)
  return {
    requests: report.requests,
    failures: report.failures,
    requestsPerSecond: report.requestsPerSecond,
    cpuUs: gatewayUs === undefined ? undefined : gatewayUs / report.requests,
    residentBytes: target.pid === undefined ? undefined : residentBytes(target.pid),
    first: scenario.stream ? report.firstTokenMs : report.firstByteMs,
    whole: report.wholeMs,
    eventDelay:
      delays.count === 0
        ? undefined
        : { p50: delays.percentile(50) / 1000, p99: delays.percentile(99) / 1000 },
    gatewayShare: gatewayUs === undefined ? undefined : gatewayUs / us,
    othersShare: othersShare(
      { before: before.gatewayCore, after: settled.gatewayCore },
      gatewayUs ?? 0,
    ),
    loadShare: (loaded.load - before.load) / us,
    loadCoreShare: (loaded.core.busy - before.core.busy) / ticks,
    stolenShare: (loaded.core.stolen - before.core.stolen) / ticks,
  }
}

interface Ticks {
  readonly before: CoreTicks | undefined
  readonly after: CoreTicks | undefined
}

const usPerTick = 10_000

function othersShare({ before, after }: Ticks, gatewayUs: number): number | undefined {
  if (!before || !after) return undefined
  const busy = after.busy - before.busy - gatewayUs / usPerTick
  return Math.max(0, busy / Math.max(1, after.total - before.total))
}

function readings({ pid, stubPid, cores }: OpenTarget) {
  const { user, system } = process.cpuUsage()
  return {
    gateway: pid === undefined ? undefined : cpuUs(pid),
    load: cpuUs(stubPid) + user + system,
    core: coreTicks(cores.load ?? 0),
    gatewayCore: cores.gateway === undefined ? undefined : coreTicks(cores.gateway),
  }
}

/** A warm-up ends after this long, whatever it came to: on a busy machine, or with streams that take their time. */
const warmMsMax = 15_000

/** Lets the code of a target be compiled for a load before it is measured. Returns why it cannot be: more than one in 100 fails. */
export async function warm(
  target: OpenTarget,
  scenario: Scenario,
  requests: number,
): Promise<string | undefined> {
  const shot = shotOf(scenario, target)
  const report = await runLoad({
    url: target.url,
    concurrency: scenario.connections,
    requests,
    durationMs: warmMsMax,
    shot: () => shot,
  })
  const failed = Object.values(report.failures).reduce((sum, count) => sum + count, 0)
  return failed > report.requests / 100 ? JSON.stringify(report.failures) : undefined
}
