import { setTimeout as pause } from 'node:timers/promises'
import {
  LoadClient,
  type Outcome,
  type Shot,
} from '../../packages/sluice/src/cli/load/load-client.ts'
import { warm } from './measure.ts'
import type { OpenTarget } from './open-targets.ts'
import { residentBytes } from './proc.ts'
import { burst, chat2k, shotOf } from './scenarios.ts'

/** What many streams that wait for their next word hold in memory. */
export interface OpenStreams {
  readonly target: string
  readonly streams: number
  readonly beforeBytes: number
  readonly openBytes: number
  readonly bytesPerStream: number
}

const warmRequests = 2_000

/** Connections are opened a few at a time: what is measured is holding them and not a storm of handshakes. */
const openedAtOnce = 50
const openMsMax = 60_000

/** Undefined where there is no process of ours to read. Throws when some of the streams do not begin. */
export async function measureOpenStreams(
  target: OpenTarget,
  streams: number,
): Promise<OpenStreams | undefined> {
  if (target.pid === undefined) return undefined
  const failure = await warm(target, chat2k, warmRequests)
  if (failure !== undefined) throw new Error(`${target.name} fails: ${failure}`)
  const beforeBytes = await settled(target.pid)
  const shot = shotOf({ ...burst, model: 'held' }, target)
  const { url } = target
  const client = await LoadClient.open({ url, connections: streams, timeoutMs: openMsMax })
  const ended: Promise<Outcome>[] = []
  try {
    while (ended.length < streams) {
      const began = Array.from({ length: Math.min(openedAtOnce, streams - ended.length) }, () => {
        const { outcome, firstEvent } = hold(client, shot, target.name)
        ended.push(outcome)
        return firstEvent
      })
      await Promise.all(began)
    }
    const openBytes = await settled(target.pid)
    const bytesPerStream = (openBytes - beforeBytes) / streams
    return { target: target.name, streams, beforeBytes, openBytes, bytesPerStream }
  } finally {
    await client[Symbol.asyncDispose]()
    await Promise.all(ended)
  }
}

function hold(client: LoadClient, shot: Shot, name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const outcome = client.exchange(shot, () => resolve())
  void outcome.then(({ failure }) =>
    reject(new Error(`A stream through ${name} ended: ${failure ?? 'it was whole'}`)),
  )
  return { outcome, firstEvent: promise }
}

const lookMs = 1_000
const looksMax = 15

/** Resident memory once it moves by less than one part in a hundred within a second, or after 15 of them. */
async function settled(pid: number): Promise<number> {
  let last = residentBytes(pid)
  for (let look = 0; look < looksMax; look += 1) {
    await pause(lookMs)
    const now = residentBytes(pid)
    if (Math.abs(now - last) < last / 100) return now
    last = now
  }
  return last
}
