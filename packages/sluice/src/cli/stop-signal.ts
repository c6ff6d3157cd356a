/** One press of Ctrl-C may arrive twice: from the terminal and from the process that started this one. */
const sameSignalMs = 500

/** Waits for the first signal to stop; a later one ends the process without waiting for anything. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAt !== undefined && performance.now() - firstAt > sameSignalMs) process.exit(1)
      firstAt ??= performance.now()
      resolve(signal)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
