import sql from 'sql-template-tag'
import type { AlertOutbox } from '@sluice/gateway/ports/alert.ts'
import type { Database } from '../database.ts'
import { deliveryColumns } from './schema.ts'
import { compiled, select, tables } from './statements.ts'

/** The part of the store for alerts and their deliveries. */
export function alertTable(database: Pick<Database, 'rows' | 'change'>): AlertOutbox {
  return {
    async addAlert({ name, id: messageId, body, quietUntil }, webhooks, now) {
      const add = tables.insertInto('alerts').values({ name, messageId, quietUntil })
      const [added] = await database.change(
        compiled(
          add.onConflict((conflict) =>
            conflict
              .column('name')
              .doUpdateSet({ messageId, quietUntil })
              .where('alerts.quietUntil', '<=', now),
          ),
        ),
        ...webhooks.map(
          (webhook) =>
            sql`INSERT INTO alert_deliveries (message_id, webhook, body, tries, next_at)
              SELECT message_id, ${webhook}, ${body}, 0, ${now} FROM alerts WHERE name = ${name} AND message_id = ${messageId}`,
        ),
      )
      return added === 1
    },
    async dueAlerts({ webhooks, now, limit }) {
      if (webhooks.length === 0) return []
      const due = tables
        .selectFrom('alertDeliveries')
        .select(['messageId as id', 'webhook', 'body', 'tries', 'nextAt'])
        .where('nextAt', '<=', now)
        .where('webhook', 'in', webhooks)
        .orderBy('nextAt')
        .orderBy('messageId')
        .orderBy('webhook')
      return select(database, deliveryColumns, due.limit(limit))
    },
    async changeAlert({ id, webhook, tries, nextAt }, to) {
      const change = tables
        .updateTable('alertDeliveries')
        .set({ nextAt: to.nextAt, tries: to.tries })
        .where((delivery) => delivery.and({ messageId: id, webhook, nextAt, tries }))
      const [changed] = await database.change(compiled(change))
      return changed === 1
    },
    async removeAlert({ id, webhook }) {
      const deliveries = tables.deleteFrom('alertDeliveries').where('messageId', '=', id)
      await database.change(compiled(deliveries.where('webhook', '=', webhook)))
    },
    async forgetAlerts(before) {
      await database.change(
        compiled(tables.deleteFrom('alerts').where('quietUntil', '<', before)),
        compiled(tables.deleteFrom('alertDeliveries').where('nextAt', '<', before)),
      )
    },
  }
}
