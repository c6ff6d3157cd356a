// Prompts and responses that wait to be masked take room, and give it back, however masking and writing end.
import { beforeEach, expect, test, vi } from 'vitest'
import type { CallEnd } from '../../../gateway/src/call/call.ts'
import { MaskingContentLog } from '../../src/telemetry/content-log.ts'
import type { ContentThread } from '../../src/telemetry/content-thread.ts'

const mask = vi.hoisted(() => vi.fn<ContentThread['mask']>())
vi.mock('../../src/telemetry/content-thread.ts', () => ({
  openContentThread: (): ContentThread => ({ mask, async [Symbol.asyncDispose]() {} }),
}))
beforeEach(() => void mask.mockReset())

/** So much may wait, as docs/prompts.md says. */
const waitingBytesMax = 64 * 1024 * 1024

function opened(add: () => Promise<void>) {
  const lost: number[] = []
  const log = new MaskingContentLog({
    shelf: { add, forget: async () => false },
    settings: () => ({ bytesMax: waitingBytesMax, keepDays: 1 }),
    now: () => 0,
    lost: (calls) => lost.push(calls),
  })
  const end = (bytes: number) => {
    const content = log.open(new Uint8Array(bytes))
    const call = { id: 'call_1', content, key: { id: 'k', owners: {} }, trail: {}, format: {} }
    log.ended({ call } as unknown as CallEnd)
  }
  return { log, lost, end }
}

const away = () => Promise.reject(new Error('away'))

test('bounds the bytes of waiting contents exactly', async () => {
  mask.mockResolvedValue({ documents: [], spans: [] })
  const { log, lost, end } = opened(async () => {})
  end(waitingBytesMax - 1)
  end(2)
  expect(lost).toEqual([1])
  end(1)
  end(0)
  expect(lost).toEqual([1])
  await log.flush()
  expect(mask.mock.calls.map(([calls]) => calls.length)).toEqual([3])
})

test.each<[string, () => Promise<void>, () => ReturnType<ContentThread['mask']>, number]>([
  ['they were written', async () => {}, async () => ({ documents: [], spans: [] }), 0],
  ['they could not be written', away, async () => ({ documents: [], spans: [] }), 3],
  ['they could not be masked', async () => {}, away, 3],
])('frees the waiting bytes when %s', async (_name, add, masking, lostCalls) => {
  mask.mockImplementation(masking)
  const { log, lost, end } = opened(add)
  for (let time = 0; time < 3; time += 1) {
    end(waitingBytesMax)
    await log.flush()
  }
  expect(mask).toHaveBeenCalledTimes(3)
  expect(lost).toHaveLength(lostCalls)
})
