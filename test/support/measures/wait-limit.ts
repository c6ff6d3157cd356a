/** On a machine that has nothing else to do. */
const quietMs = 200
/** What a wait of an idle gateway says of how busy the machine is. */
const idleShare = 4
/** Every copy uses memory for the first time; to read, translate and write all at once takes five to nine times as long. */
const memoryShare = 4

/**
 * How long other requests may wait for the gateway, in milliseconds. `idleMs` is their wait for an idle one. A text of `bytes`
 * is copied in one turn, and how long that takes depends on how fast the machine provides memory now.
 */
export function waitMaxMs(idleMs: number, bytes = 0): number {
  return Math.max(quietMs, memoryShare * firstUseMs(bytes)) + idleShare * idleMs
}

/** The processor time it takes to use so much memory for the first time. */
function firstUseMs(bytes: number): number {
  const before = process.threadCpuUsage()
  Buffer.allocUnsafeSlow(bytes).fill(1)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
