const waiting: (() => void)[] = []

/**
 * Resolves when the caller may do about a millisecond of work. Only one waiter runs per event loop turn, so that
 * other requests run in between.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
  })
}

function next(): void {
  const [resolve] = waiting.splice(0, 1)
  if (waiting.length > 0) setImmediate(next)
  resolve?.()
}
