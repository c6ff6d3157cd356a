const waiting: (() => void)[] = []

/**
 * Resolves when it is somebody's turn to do a millisecond's or a large document's work. One at a time, however many
 * wait: between two of them all other requests have theirs.
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
