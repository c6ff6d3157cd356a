import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { pid } from 'node:process'

/** How long a process on another machine may be silent before it is considered dead, in milliseconds. */
const silentMs = 60_000

/** A unique process name: host, process id and start time, and a random number, as in `web-1~4711~8402211~9f86d081`. */
export function newInstanceName(): string {
  return [machineName(), pid, processStatus(pid)?.start ?? '', randomBytes(4).toString('hex')].join(
    '~',
  )
}

/** The process name in the file name of a segment. */
export function instanceOf(file: string): string {
  return basename(file).split('~').slice(0, 4).join('~')
}

/**
 * Whether the process that writes a segment has ended. For local processes the system knows; one on another machine that
 * shares the folder touches its segment every few seconds.
 */
export function isAbandoned(file: string): boolean {
  const instance = instanceOf(file)
  return isHere(instance) ? hasEnded(instance) : isSilent(file)
}

/** Whether the named process was on this machine and has ended. */
export function hasEnded(instance: string): boolean {
  if (!isHere(instance)) return false
  const [, id = '', start = ''] = instance.split('~')
  const now = processStatus(Number(id))
  if (now) return now.isDead || now.start !== start
  return !isRunning(Number(id))
}

function isHere(instance: string): boolean {
  return instance.split('~')[0] === machineName()
}

function isSilent(file: string): boolean {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > silentMs
}

function machineName(): string {
  return hostname().replace(/[^\w.-]/g, '_')
}

/**
 * When a process was started, in clock ticks, to tell it from a later one with the same id (proc_pid_stat(5), field 22), and
 * whether it is dead but not yet reaped by its parent (field 3). Available on Linux only.
 */
function processStatus(
  id: number,
): { readonly start: string; readonly isDead: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1')
    // The second field is a name and may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { start: fields[19] ?? '', isDead: 'ZX'.includes(fields[0] ?? '') }
  } catch {
    return undefined
  }
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}
