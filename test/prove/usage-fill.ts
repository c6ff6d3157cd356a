/** Numbers from one to another, in the words of SQLite. */
export const sqliteSeries =
  'WITH RECURSIVE s(n) AS (SELECT FROM_ UNION ALL SELECT n + 1 FROM s WHERE n < TO_) SELECT n FROM s'

export interface Filling {
  /** The first and the last record that is written now, of so many in all. */
  readonly from: number
  readonly to: number
  readonly total: number
  /** As `sqliteSeries`, with FROM_ and TO_. */
  readonly series: string
  /** The moment of the last record, in milliseconds since the epoch, and so many days lie before it. */
  readonly end: number
  readonly days: number
}

const dayMs = 86_400_000

/**
 * Records of calls: 200 keys of 100 users in 20 teams of 4 organizations, 24 models of 6 providers, a third with tags, half
 * by one of nine routes and some by a route that is seldom asked for. Written
 * in SQL, which both databases understand, from the number of the record alone. Some 40 keys and models share each hour.
 */
export function fillText({ from, to, total, series, end, days }: Filling): string {
  const key = '(n / 30 * 7919 % 200)'
  const model = '(n / 60 * 104729 % 24)'
  const startedAt = `${end - days * dayMs} + (n * ${days * dayMs} / ${total})`
  return `INSERT INTO usage_records (id, call_id, attempt, key_id, user_id, team_id, organization_id, tags, operation,
      provider, model, outcome, reported, started_at, duration_ms, input_tokens, output_tokens, cached_input_tokens,
      cost_micro_usd, price_source, price_date, request_id, format, status, streamed, first_token_ms, requested_model)
    SELECT 'fill-' || n, 'call_' || n, 1, 'key_' || ${key}, 'user_' || (${key} % 100), 'team_' || (${key} % 20),
      'org_' || (${key} % 4), CASE WHEN n % 3 = 0 THEN '["tag_' || (n % 7) || '"]' END,
      CASE WHEN ${model} < 20 THEN 'chat' ELSE 'embed' END, 'provider_' || (${model} % 6), 'model_' || ${model},
      CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'completed' END, 1, ${startedAt}, 812.5, n % 4000, n % 900, n % 300,
      CASE WHEN n % 40 = 0 THEN NULL ELSE n % 20000 END, 'genai-prices', '2026-09-23',
      CASE WHEN n % 10 = 0 THEN 'mine_' || n END, 'chat', CASE WHEN n % 50 = 0 THEN 500 + n % 4 ELSE 200 END,
      n % 2, CASE WHEN n % 2 = 1 THEN n * 31 % 4000 END,
      CASE WHEN n % 9973 = 5 THEN 'route_rare' WHEN n % 2 = 0 THEN 'route_' || (n / 60 % 9) END
    FROM (${series.replaceAll('FROM_', String(from)).replaceAll('TO_', String(to))}) AS numbers`
}
