/** The progress of a long task, on the last line of a terminal. */
export interface Progress extends Disposable {
  /** `total` is undefined if unknown. */
  at(done: number, total?: number): void
}

/** Where progress is drawn: standard error, or a substitute in tests. */
export interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const drawEveryMs = 100
const barWidth = 24
const clearLine = '\r\u001b[K'

/**
 * A progress bar labeled `what`, drawn at most ten times a second and removed at the end. Nothing is written if standard
 * error is not a terminal, so that logs and pipes contain only results.
 */
export function createProgress(what: string, screen: Screen = process.stderr): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY
  const isShown = screen.isTTY === true
  return {
    at(done, total) {
      const now = performance.now()
      if (!isShown || now - drawnAt < drawEveryMs) return
      drawnAt = now
      screen.write(clearLine + lineOf(what, done, total).slice(0, (screen.columns ?? 80) - 1))
    },
    [Symbol.dispose]() {
      if (drawnAt > Number.NEGATIVE_INFINITY) screen.write(clearLine)
    },
  }
}

/** For tasks without progress: shows the elapsed seconds. `what` is shown after "3 s, ". */
export async function whileWaiting<T>(what: string, work: Promise<T>, screen?: Screen): Promise<T> {
  using progress = createProgress(`s, ${what}`, screen)
  const startedAt = performance.now()
  const draw = () => progress.at(Math.floor((performance.now() - startedAt) / 1000))
  draw()
  const timer = setInterval(draw, 1_000)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}

function lineOf(what: string, done: number, total: number | undefined): string {
  if (total === undefined || total <= 0) return `${done} ${what}`
  const share = Math.min(1, done / total)
  const full = Math.round(share * barWidth)
  const bar = '█'.repeat(full) + '░'.repeat(barWidth - full)
  return `${bar} ${Math.floor(share * 100)} %  ${done} of ${total} ${what}`
}
