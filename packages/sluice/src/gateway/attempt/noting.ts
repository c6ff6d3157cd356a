import { type Listed, OpenList } from '../open-list.ts'

/** Something whose usage grows while it is under way. */
export interface Growing extends Listed {
  /** Writes down what it has used by now. */
  note(): void
}

/** How old a note may be when the process dies, in milliseconds. */
const noteEveryMs = 500

/** All share one timer. */
const growing = new OpenList<Growing>()
let timer: NodeJS.Timeout | undefined

/** Has it noted every half a second, until `stopNoting`. */
export function startNoting(one: Growing): void {
  growing.add(one)
  timer ??= setInterval(noteAll, noteEveryMs).unref()
}

/** Does nothing for one that was never begun. */
export function stopNoting(one: Growing): void {
  growing.remove(one)
}

function noteAll(): void {
  for (const one of growing.all()) one.note()
  if (growing.size > 0) return
  clearInterval(timer)
  timer = undefined
}
