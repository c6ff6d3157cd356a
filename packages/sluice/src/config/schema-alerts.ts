import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import { count, described, listOf, object, optional, text } from './schema-parts.ts'

/** The events that webhooks can receive. */
const alertEvents = [
  'budget.warning',
  'budget.spent',
  'budget.refused',
  'provider.down',
  'errors.rate',
  'price.unknown',
  'journal.full',
  'journal.behind',
] as const

const webhook = object(
  {
    url: text('Where messages are sent, by POST.'),
    secret: text(
      'What messages are signed with (Standard Webhooks): whsec_ and 24 to 64 bytes in base64, preferably a reference such as ${WEBHOOK_SECRET}.',
    ),
    events: optional(
      Type.Array(Type.Enum([...alertEvents]), {
        minItems: 1,
        ...described(
          'What it is told. budget.warning: 80 % of a budget is spent or put aside. budget.spent: all of it. budget.refused: a call was refused for it. provider.down: a breaker is open for all callers. errors.rate: too many calls fail. price.unknown: nobody knows what a call costs. journal.full: the journal cannot be written. journal.behind: usage does not come into the database. Default: all.',
        ),
      }),
    ),
  },
  'An address that is told what happens.',
)

export const alerts = object(
  {
    webhooks: optional(listOf(webhook, 'Who is told. Default: nobody.')),
    errorRate: optional(
      object(
        {
          percent: optional(
            Type.Number({
              exclusiveMinimum: 0,
              maximum: 100,
              ...described('From how many percent of failed calls on. Default 25.'),
            }),
          ),
          minutes: optional(count('How many minutes are looked at, by each process. Default 5.')),
          calls: optional(count('Of fewer calls nothing is told. Default 50.')),
        },
        'When errors.rate is told: calls that failed, and not by a mistake of their callers.',
      ),
    ),
  },
  'Webhooks that tell what happens: budgets that run out, providers that are down and the like.',
)

export type AlertsConfig = Static<typeof alerts>
