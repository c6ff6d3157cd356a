/** On a machine that has nothing else to do and needs `usualTextMs` for `textMs`. */
const quietMs = 200
const usualTextMs = 12
/** What a wait of an idle gateway says of how busy the machine is. */
const idleShare = 4
/** Every copy uses memory for the first time; to read, translate and write all at once takes five to nine times as long. */
const memoryShare = 4

/**
 * How long other requests may wait for the gateway, in milliseconds. `idleMs` is their wait for an idle one. A text of `bytes`
 * is copied in one turn, and how long that takes depends on how fast the machine provides memory now.
 */
export function waitMaxMs(idleMs: number, bytes = 0): number {
  const shareMs = quietMs * Math.max(1, textMs() / usualTextMs)
  return Math.max(shareMs, memoryShare * firstUseMs(bytes)) + idleShare * idleMs
}

/** The least processor time of several times that it takes to write and read a document of two megabytes. */
function textMs(): number {
  const document = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    name: `name ${id}`,
    list: [id, id + 1, 'x'.repeat(20)],
  }))
  return Math.min(
    ...Array.from({ length: 5 }, () => processorMs(() => JSON.parse(JSON.stringify(document)))),
  )
}

/** The processor time it takes to use so much memory for the first time. */
function firstUseMs(bytes: number): number {
  return processorMs(() => Buffer.allocUnsafeSlow(bytes).fill(1))
}

function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
