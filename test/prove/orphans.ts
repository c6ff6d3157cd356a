import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stringify } from 'yaml'
import { startGateway } from './gateway-process.ts'
import { childrenOf, isRunning } from './child-processes.ts'
import { askOn, configuration, openUpstream } from './ledger-load.ts'

export interface OrphanProof {
  readonly kills: number
  readonly workers: number
  /** Calls whose answers the clients have seen. */
  readonly seen: number
  /** From the kill of the primary to the end of the last worker, the longest of all rounds, in milliseconds. */
  readonly longestMs: number
  /** Workers that had not ended in time. */
  readonly left: number
}

export interface OrphanProofOptions {
  readonly rounds: number
  readonly clients?: number
}

const workersEach = 2
const callsPerRound = 80
const stopTimeoutMs = 500
/** Beyond the time to stop: the last words of streams, the ledger, and a machine that does other things too. */
const endedWithinMs = stopTimeoutMs + 10_000

/**
 * Kills the primary process of a gateway under load, again and again, with the log of all workers going through pipes to it,
 * and waits for the workers to end.
 */
export async function proveOrphans({
  rounds,
  clients = 24,
}: OrphanProofOptions): Promise<OrphanProof> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-orphans-'))
  await using upstream = await openUpstream()
  const settings = { ...configuration(upstream), server: { stopTimeoutMs } }
  writeFileSync(join(folder, 'sluice.yaml'), stringify(settings))
  const environment = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    SLUICE_PORT: '0',
    SLUICE_WORKERS: String(workersEach),
    SLUICE_DATA: folder,
    SLUICE_API_KEYS: 'key',
    SLUICE_CONFIG: join(folder, 'sluice.yaml'),
  }
  const proof = { kills: rounds, workers: 0, seen: 0, longestMs: 0, left: 0 }
  try {
    for (let round = 0; round < rounds; round += 1) {
      const { child, url } = await startGateway(environment)
      const stopping = new AbortController()
      const asking = Array.from({ length: clients }, (_, client) =>
        askOn(url, client + round, { signal: stopping.signal, seen: () => (proof.seen += 1) }),
      )
      // In the middle of it, at another moment each time.
      const enough = proof.seen + callsPerRound + (round % 7) * 5
      while (proof.seen < enough) await pause(1 + (round % 5))
      const workers = childrenOf(child.pid ?? 0)
      proof.workers += workers.length
      const closed = once(child, 'close')
      const killed = performance.now()
      child.kill('SIGKILL')
      const left = await leftOf(workers)
      proof.longestMs = Math.max(proof.longestMs, performance.now() - killed)
      proof.left += left.length
      for (const worker of left) process.kill(worker, 'SIGKILL')
      stopping.abort()
      await closed
      await Promise.all(asking)
    }
    return proof
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The processes that have not ended in time. */
async function leftOf(workers: readonly number[]): Promise<readonly number[]> {
  const end = performance.now() + endedWithinMs
  let left = workers
  while (left.length > 0 && performance.now() < end) {
    await pause(20)
    left = left.filter(isRunning)
  }
  return left
}
