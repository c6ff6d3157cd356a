import { type Listed, OpenList } from '../call/open-list.ts'

/** An attempt whose usage grows while it is in progress. */
export interface Growing extends Listed {
  /** Writes down the usage so far. */
  note(): void
}

/** Maximum age of a note when the process dies, in milliseconds. */
const noteEveryMs = 500

/** All attempts share one timer. */
const growing = new OpenList<Growing>()
let timer: NodeJS.Timeout | undefined

/** Calls `note` every 500 ms until `stopNoting`. */
export function startNoting(one: Growing): void {
  growing.add(one)
  timer ??= setInterval(noteAll, noteEveryMs).unref()
}

/** Does nothing if `startNoting` was never called for it. */
export function stopNoting(one: Growing): void {
  growing.remove(one)
}

function noteAll(): void {
  for (const one of growing.all()) one.note()
  if (growing.size > 0) return
  clearInterval(timer)
  timer = undefined
}
