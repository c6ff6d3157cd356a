import { readdirSync, readFileSync } from 'node:fs'

// What Linux tells about processes. The kernel counts the processor time of a thread in nanoseconds.

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // A process or thread that has just ended has no files any more.
    return ''
  }
}

/** A process and all that descend from it. */
export function familyOf(pid: number): readonly number[] {
  const parents = readdirSync('/proc')
    .map(Number)
    .filter((candidate) => candidate > 0)
    .map((candidate) => [candidate, parentIn(read(`/proc/${candidate}/stat`))] as const)
  const family = [pid]
  for (const member of family)
    family.push(...parents.filter(([, parent]) => parent === member).map(([child]) => child))
  return family
}

/** The parent in a line of /proc/PID/stat. The name before it, in brackets, may hold spaces and brackets. */
export function parentIn(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

/** Processor time of all threads of a process and its descendants, user and system, in microseconds. */
export function cpuUs(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + threadsUs(member), 0)
}

function threadsUs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, thread) => sum + runNs(read(`/proc/${pid}/task/${thread}/schedstat`)) / 1000,
      0,
    )
  } catch {
    return 0
  }
}

/** The first number of schedstat: nanoseconds on a processor. */
export function runNs(schedstat: string): number {
  return Number(schedstat.split(' ')[0] || 0)
}

/** Resident memory of a process and its descendants in bytes. */
export function residentBytes(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + residentIn(read(`/proc/${member}/status`)), 0)
}

export function residentIn(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

/** What a core did since the machine started, in ticks. */
export interface CoreTicks {
  readonly busy: number
  readonly stolen: number
  readonly total: number
}

export function coreTicks(core: number): CoreTicks {
  return ticksIn(read('/proc/stat'), core)
}

export function ticksIn(stat: string, core: number): CoreTicks {
  const line = new RegExp(`^cpu${core} (.*)$`, 'm').exec(stat)?.[1] ?? ''
  const ticks = line.split(' ').slice(0, 8).map(Number)
  const total = ticks.reduce((sum, one) => sum + one, 0)
  const [, , , idle = 0, waiting = 0, , , stolen = 0] = ticks
  return { busy: total - idle - waiting - stolen, stolen, total }
}
