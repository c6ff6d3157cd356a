import { expect, test } from 'vitest'
import { until } from '../../../../test/support/start.ts'
import { openAlerts } from '../../src/alerts/alerts.ts'
import { createMemoryOutbox } from '../../src/alerts/memory-outbox.ts'
import type { AlertDelivery, AlertOutbox } from '../../../gateway/src/ports/alert.ts'

const webhook = {
  url: 'https://operators.example/hook',
  secret: `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`,
}

/** An outbox whose deliveries are read by so many processes at the same moment, before one of them takes any. */
function sharedBy(count: number) {
  const outbox = createMemoryOutbox()
  const waiting: (() => void)[] = []
  let reads = 0
  const taken: boolean[] = []
  const shared: AlertOutbox = {
    ...outbox,
    async dueAlerts(asked): Promise<readonly AlertDelivery[]> {
      reads += 1
      if (reads <= count) {
        const read = new Promise<void>((resolve) => waiting.push(resolve))
        if (reads === count) for (const go of waiting) go()
        await read
      }
      return outbox.dueAlerts(asked)
    },
    async changeAlert(delivery, to) {
      const isTaken = await outbox.changeAlert(delivery, to)
      taken.push(isTaken)
      return isTaken
    },
  }
  return { shared, taken }
}

test.each([1, 2, 3])(
  'an alert that %i processes find due is sent by one of them',
  async (count) => {
    const { shared, taken } = sharedBy(count)
    const sent: string[] = []
    await using opened = new AsyncDisposableStack()
    const processes = Array.from({ length: count }, () =>
      opened.use(
        openAlerts({
          outbox: shared,
          now: () => 1_000_000,
          failed: () => {},
          async post(_url, { headers }) {
            sent.push(headers['webhook-id'] ?? '')
            return 204
          },
        }),
      ),
    )
    for (const one of processes) one.configure([webhook])
    processes[0]?.raise({ event: 'price.unknown', target: 'up/m', reason: 'it has no price' })
    await until(() => taken.length === count)
    expect(taken.filter(Boolean)).toHaveLength(1)
    await opened.disposeAsync()
    expect(sent).toHaveLength(1)
  },
)
