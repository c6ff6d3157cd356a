import { expect } from 'vitest'
import type { UsageRecord } from '../../packages/contract/src/core/usage.ts'
import type { FakeUpstream } from './fakes/fake-upstream.ts'
import { type Started, until } from './start.ts'

/** By the id of their provider. */
export type Upstreams = Readonly<Record<string, FakeUpstream>>

/** All records of a gateway that was started for the test. */
export async function ledger({ gateway }: Started): Promise<readonly UsageRecord[]> {
  await gateway.store.flush()
  return gateway.store.listUsage({ limit: 9_999 })
}

/** `provider operation outcome`, and `input+output` tokens if the upstream reported them. */
function line(record: UsageRecord): string {
  const { provider, operation, outcome, reported, inputTokens, outputTokens } = record
  const said = reported ? ` ${inputTokens}+${outputTokens}` : ''
  return `${provider} ${operation} ${outcome}${said}`
}

/**
 * Waits until the calls have ended, then checks that the records are exactly these, and that every request at an upstream has
 * ended and has a record. Requests for a list of models are not part of a call.
 */
export async function expectRecords(
  gateway: Started,
  upstreams: Upstreams,
  expected: readonly string[],
): Promise<void> {
  const areOver = () =>
    Object.values(upstreams).every(({ seen }) => seen.every(({ isOver }) => isOver))
  const look = async () => areOver() && (await ledger(gateway)).length >= expected.length
  // If records are missing, the comparison below reports it better.
  await until(look).catch(() => undefined)
  // An extra record would be written by now: this request gives everything that a call does time to finish.
  await (await gateway.request('/healthz')).arrayBuffer()

  const records = await ledger(gateway)
  expect(records.map(line).toSorted()).toEqual(expected.toSorted())
  expect(areOver()).toBe(true)
  for (const [provider, { seen }] of Object.entries(upstreams)) {
    const asked = seen.filter(({ path }) => !path.endsWith('/models'))
    const recorded = records.filter((record) => record.provider === provider)
    expect({ provider, recorded: recorded.length }).toEqual({ provider, recorded: asked.length })
  }
}

/** Checks that no two records have the same attempt of the same call. */
export async function expectNumbered(gateway: Started): Promise<void> {
  const records = await ledger(gateway)
  const numbers = records.map(({ callId, attempt }) => `${callId} ${attempt}`)
  expect(numbers.toSorted()).toEqual([...new Set(numbers)].toSorted())
}

/**
 * Checks that the records are exactly these, one for each request that reached an upstream, each with its own attempt number.
 */
export async function expectRecordsMatch(
  gateway: Started,
  upstreams: Upstreams,
  expected: readonly string[],
): Promise<void> {
  await expectRecords(gateway, upstreams, expected)
  await expectNumbered(gateway)
}
