import { readFileSync } from 'node:fs'

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Only Linux reports this (proc_pid_task_children(5)). */
export function childrenOf(pid: number): readonly number[] {
  const found = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim()
  return found === '' ? [] : found.split(' ').map(Number)
}
