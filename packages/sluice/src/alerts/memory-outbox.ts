import type { AlertDelivery, AlertOutbox } from '@sluice/gateway/ports/alert.ts'

/** Maximum number of waiting messages; the oldest is dropped first. */
const deliveriesMax = 1_000

/** Messages about this process only, in memory, because a full disk cannot store a message about itself. */
export function createMemoryOutbox(): AlertOutbox {
  const quiet = new Map<string, number>()
  const waiting = new Map<string, AlertDelivery>()
  const nameOf = ({ id, webhook }: Pick<AlertDelivery, 'id' | 'webhook'>) => `${id} ${webhook}`
  return {
    async addAlert({ name, id, body, quietUntil }, webhooks, now) {
      if ((quiet.get(name) ?? 0) > now) return false
      quiet.set(name, quietUntil)
      for (const webhook of webhooks) {
        const [oldest] = waiting.size < deliveriesMax ? [] : waiting.keys()
        if (oldest !== undefined) waiting.delete(oldest)
        waiting.set(nameOf({ id, webhook }), { id, webhook, body, tries: 0, nextAt: now })
      }
      return true
    },
    dueAlerts: async ({ webhooks, now, limit }) =>
      [...waiting.values()]
        .filter(({ webhook, nextAt }) => nextAt <= now && webhooks.includes(webhook))
        .toSorted((one, other) => one.nextAt - other.nextAt)
        .slice(0, limit),
    async changeAlert(delivery, to) {
      const name = nameOf(delivery)
      const known = waiting.get(name)
      if (known?.tries !== delivery.tries || known.nextAt !== delivery.nextAt) return false
      waiting.set(name, { ...known, ...to })
      return true
    },
    async removeAlert(delivery) {
      waiting.delete(nameOf(delivery))
    },
    async forgetAlerts(before) {
      for (const [name, until] of quiet) if (until < before) quiet.delete(name)
      for (const [name, { nextAt }] of waiting) if (nextAt < before) waiting.delete(name)
    },
  }
}
