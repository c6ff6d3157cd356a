import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { pid } from 'node:process'

/** So long may a process on another machine be silent, in milliseconds, before it is taken for dead. */
const silentMs = 60_000

/** A name among all processes: the machine, the process and when it was started, and a number of its own. */
export function newInstanceName(): string {
  return [machineName(), pid, found(pid)?.start ?? '', randomBytes(4).toString('hex')].join('~')
}

/** The name of the journal that a segment belongs to. */
export function instanceOf(file: string): string {
  return basename(file).split('~').slice(0, 4).join('~')
}

/**
 * Whether the process that writes to a segment is gone. Of those on this machine the system knows; one elsewhere that
 * shares the folder gives a sign of life every few seconds.
 */
export function isAbandoned(file: string): boolean {
  const instance = instanceOf(file)
  return isHere(instance) ? hasEnded(instance) : isSilent(file)
}

/** Whether the process of this name was one of this machine and is gone. */
export function hasEnded(instance: string): boolean {
  if (!isHere(instance)) return false
  const [, id = '', start = ''] = instance.split('~')
  const now = found(Number(id))
  if (now) return now.isOver || now.start !== start
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
 * When a process was started, in ticks of the system, so that a later one with the same number is told from it
 * (proc_pid_stat(5), field 22), and whether it has died and only its parent was not told yet (field 3). Linux alone says so.
 */
function found(id: number): { readonly start: string; readonly isOver: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1')
    // The second field is a name and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { start: fields[19] ?? '', isOver: 'ZX'.includes(fields[0] ?? '') }
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
