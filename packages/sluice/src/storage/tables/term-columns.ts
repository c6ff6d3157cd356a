import type { Terms } from '../../ports/account.ts'
import { boolean, type Columns, integer, json, text } from './columns.ts'

/** The columns of the terms that keys and accounts share. */
export const termColumns: Columns<Terms> = {
  expiresAt: integer('expires_at'),
  models: json('models'),
  operations: json('operations'),
  addresses: json('addresses'),
  requestsPerMinute: integer('requests_per_minute'),
  tokensPerMinute: integer('tokens_per_minute'),
  concurrentRequests: integer('concurrent_requests'),
  budgets: json('budgets'),
  output: text('output'),
  inputBound: text('input_bound'),
  metadata: json('metadata'),
  tags: json('tags'),
  contentLogging: boolean('content_logging'),
  ownKeys: boolean('own_keys'),
}
