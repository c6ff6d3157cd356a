import sql, { join } from 'sql-template-tag'
import type { AlertOutbox } from '../../ports/alert.ts'
import type { Database } from '../database.ts'

/** The part of the store for alerts and their deliveries. */
export function alertTable(database: Pick<Database, 'rows' | 'change'>): AlertOutbox {
  return {
    async addAlert({ name, id, body, quietUntil }, webhooks, now) {
      const [added] = await database.change(
        sql`INSERT INTO alerts (name, message_id, quiet_until) VALUES (${name}, ${id}, ${quietUntil})
          ON CONFLICT (name) DO UPDATE SET message_id = excluded.message_id, quiet_until = excluded.quiet_until
          WHERE alerts.quiet_until <= ${now}`,
        ...webhooks.map(
          (webhook) =>
            sql`INSERT INTO alert_deliveries (message_id, webhook, body, tries, next_at)
              SELECT message_id, ${webhook}, ${body}, 0, ${now} FROM alerts WHERE name = ${name} AND message_id = ${id}`,
        ),
      )
      return added === 1
    },
    async dueAlerts({ webhooks, now, limit }) {
      if (webhooks.length === 0) return []
      const rows = await database.rows(
        sql`SELECT * FROM alert_deliveries WHERE next_at <= ${now} AND webhook IN (${join([...webhooks])})
          ORDER BY next_at, message_id, webhook LIMIT ${limit}`,
      )
      return rows.map((row) => ({
        id: String(row['message_id']),
        webhook: String(row['webhook']),
        body: String(row['body']),
        tries: Number(row['tries']),
        nextAt: Number(row['next_at']),
      }))
    },
    async changeAlert({ id, webhook, tries, nextAt }, to) {
      const [changed] = await database.change(
        sql`UPDATE alert_deliveries SET next_at = ${to.nextAt}, tries = ${to.tries}
          WHERE message_id = ${id} AND webhook = ${webhook} AND next_at = ${nextAt} AND tries = ${tries}`,
      )
      return changed === 1
    },
    async removeAlert({ id, webhook }) {
      await database.change(
        sql`DELETE FROM alert_deliveries WHERE message_id = ${id} AND webhook = ${webhook}`,
      )
    },
    async forgetAlerts(before) {
      await database.change(
        sql`DELETE FROM alerts WHERE quiet_until < ${before}`,
        sql`DELETE FROM alert_deliveries WHERE next_at < ${before}`,
      )
    },
  }
}
