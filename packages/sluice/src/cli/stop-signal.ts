/** One Ctrl-C may arrive twice: from the terminal and from the parent process. */
const sameSignalMs = 500

/** Waits for the first stop signal; a later one ends the process at once. */
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
