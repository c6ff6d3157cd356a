import type { UsageRecord } from '../../packages/contract/src/core/usage.ts'
import type { ConfigFile } from '../../packages/sluice/src/config/schema.ts'
import type { Timeouts } from '../../packages/gateway/src/route/timeouts.ts'
import type { Pair } from './pairs.ts'
import type { Spoken } from './protocols.ts'
import type { FaultUpstream } from './upstream.ts'

/** One call, or what a caller makes of one. */
export interface Trial {
  readonly cell: Pair & { readonly fault: { readonly name: string } }
  /** Names the targets and the route; no other trial has it. */
  readonly id: string
  readonly name: string
  /** There is another target behind the one that has the fault. */
  readonly isBacked: boolean
  /** Its part of sluice.yaml. */
  readonly config: (upstream: FaultUpstream) => ConfigFile
  readonly run: (stage: Stage) => Promise<Result>
}

/** What the caller got, in a few words, and what was wrong about it. */
export interface Result {
  readonly got: string
  readonly wrong: readonly string[]
  /** How many usage records there were. */
  readonly records: number
}

export interface Stage {
  readonly url: string
  readonly key: string
  readonly upstream: FaultUpstream
  /** The usage records of a trial as they were told to the store, those of the second target last. */
  readonly recordsOf: (trial: Pick<Trial, 'id'>) => readonly UsageRecord[]
}

/** How long sockets and records may take after the caller has its answer, in milliseconds. */
export const settleMs = 10_000

/** Where a fault does not lie, nothing is near its limit. */
const far: Timeouts = {
  connectMs: 60_000,
  headersMs: 60_000,
  firstTokenMs: 60_000,
  idleMs: 60_000,
  totalMs: 60_000,
}

interface Targets {
  readonly protocol: Spoken
  readonly id: string
  readonly badUrl: string
  readonly goodUrl: string
  readonly limits?: Partial<Timeouts> | undefined
  readonly isBacked: boolean
}

/** The route `m-id`: to `bad-id`, and behind it, where it is backed, to `good-id`. */
export function providersOf({
  protocol,
  id,
  badUrl,
  goodUrl,
  limits,
  isBacked,
}: Targets): ConfigFile {
  const provider = (baseUrl: string, timeouts: Partial<Timeouts> = {}) => ({
    ...protocol.provider,
    baseUrl,
    timeouts: { ...far, ...timeouts },
  })
  return {
    providers: {
      [`bad-${id}`]: provider(`${badUrl}/bad-${id}`, limits),
      [`good-${id}`]: provider(`${goodUrl}/good-${id}`),
    },
    models: {
      [`m-${id}`]: {
        targets: [{ target: `bad-${id}/m` }],
        ...(isBacked && { fallback: [`good-${id}/m`] }),
      },
    },
  }
}
