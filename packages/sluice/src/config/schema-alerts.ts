import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import {
  count,
  listOf,
  number,
  object,
  options,
  text,
} from '@sluice/gateway/settings/schema-parts.ts'

const webhook = object(
  {
    url: text('The URL to which messages are sent by POST.'),
    secret: text(
      'The secret that signs messages (Standard Webhooks): whsec_ and 24 to 64 bytes in base64, preferably a reference such as ${WEBHOOK_SECRET}.',
    ),
    ...options({
      events: listOf(
        Type.Enum([
          'budget.warning',
          'budget.spent',
          'budget.refused',
          'provider.down',
          'errors.rate',
          'price.unknown',
          'journal.full',
          'journal.behind',
          'audit.newest',
        ]),
        'The events to send. budget.warning: 80 % of a budget is spent or reserved. budget.spent: a budget is exhausted. budget.refused: a request was refused because of a budget. provider.down: a breaker is open for all callers. errors.rate: too many requests fail. price.unknown: the cost of a request is unknown. journal.full: the journal cannot be written. journal.behind: usage records do not reach the database. audit.newest: every hour, the number and hash of the newest entry of the audit log. Default: all but audit.newest.',
        { minItems: 1 },
      ),
    }).properties,
  },
  'A webhook.',
)

export const alerts = options(
  {
    webhooks: listOf(webhook, 'The webhooks. Default: none.'),
    errorRate: options(
      {
        percent: number(
          { exclusiveMinimum: 0, maximum: 100 },
          'Percentage of failed requests from which the alert is sent. Default 25.',
        ),
        minutes: count('The period in minutes, for each process. Default 5.'),
        calls: count('With fewer requests in the period, no alert is sent. Default 50.'),
      },
      'When errors.rate is sent. Failures caused by callers do not count.',
    ),
  },
  'Webhooks for events such as exhausted budgets and unavailable providers.',
)

export type AlertsConfig = Static<typeof alerts>
