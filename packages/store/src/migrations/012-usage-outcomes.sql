-- When each key was used last, as far as the records are summed: what the sums do not hold yet is looked up in the records.
CREATE TABLE key_uses (
  key_id TEXT NOT NULL PRIMARY KEY,
  last_used_at BIGINT NOT NULL
);
INSERT INTO key_uses (key_id, last_used_at)
  SELECT key_id, MAX(started_at) FROM usage_records GROUP BY key_id;

-- How the attempts of a group ended; empty where that does not count.
ALTER TABLE usage_groups ADD COLUMN outcome TEXT NOT NULL DEFAULT '';

-- Further faces, which programs before this version do not sum. `folded_further`: the last record that these hold.
-- `further_to`: up to this record those that began before `further_from` are in what is copied here, since the records are
-- gone; how they ended is not known any more. A group's id says nothing, and may be another one for the same columns.
INSERT INTO usage_state (name, value) SELECT 'folded_further', 0;
INSERT INTO usage_state (name, value)
  SELECT 'further_to', MAX(value) FROM usage_state WHERE name IN ('folded', 'rebuilt_to');
INSERT INTO usage_state (name, value) SELECT 'further_from', value FROM usage_state WHERE name = 'kept_from';
INSERT INTO usage_groups (id, face, key_id, user_id, team_id, organization_id, provider, model, operation, tag)
  WITH further (face, of, holder, team, model) AS (
    VALUES ('tagged', 'tag', 0, 0, 1), ('tagged-holder', 'tag', 1, 1, 0), ('tagged-whole', 'tag', 1, 1, 1),
      ('outcome', 'all', 0, 1, 1), ('holder-outcome', 'all', 1, 1, 0), ('whole', 'all', 1, 1, 1)
  )
  SELECT g.id || '.' || f.face, f.face,
      CASE WHEN f.holder = 1 THEN g.key_id ELSE '' END, CASE WHEN f.holder = 1 THEN g.user_id ELSE '' END,
      CASE WHEN f.team = 1 THEN g.team_id ELSE '' END, CASE WHEN f.team = 1 THEN g.organization_id ELSE '' END,
      CASE WHEN f.model = 1 THEN g.provider ELSE '' END, CASE WHEN f.model = 1 THEN g.model ELSE '' END,
      CASE WHEN f.model = 1 THEN g.operation ELSE '' END, g.tag
    FROM usage_groups g JOIN further f ON f.of = g.face
    WHERE (SELECT value FROM usage_state WHERE name = 'kept_from') > 0;
-- Hours and days up to the first of which all records are there, whole months before its month, and of its month these days.
INSERT INTO usage_rollups (face, period, start_at, group_id, attempts, calls, completed, failed, cancelled, incomplete,
    unreported, estimated, unsettled, unknown_costs, cost_micro_usd, input_tokens, output_tokens, cached_input_tokens,
    cache_write_tokens, long_cache_write_tokens, reasoning_tokens, audio_input_tokens, audio_output_tokens, images, seconds,
    characters, search_units)
  WITH further (face, of) AS (
    VALUES ('tagged', 'tag'), ('tagged-holder', 'tag'), ('tagged-whole', 'tag'), ('outcome', 'all'),
      ('holder-outcome', 'all'), ('whole', 'all')
  ), kept (day) AS (
    SELECT value FROM usage_state WHERE name = 'kept_from'
  ), broken (month) AS (
    SELECT COALESCE(MAX(start_at), 0) FROM usage_rollups
      WHERE face = 'model' AND period = 'month' AND start_at <= (SELECT day FROM kept)
  ), gone AS (
    SELECT * FROM usage_rollups WHERE period <> 'month' AND start_at < (SELECT day FROM kept)
    UNION ALL
    SELECT * FROM usage_rollups WHERE period = 'month' AND start_at < (SELECT month FROM broken)
  ), copied AS (
    SELECT period, start_at, r.face, group_id, attempts, calls, completed, failed, cancelled, incomplete, unreported,
        estimated, unsettled, unknown_costs, cost_micro_usd, input_tokens, output_tokens, cached_input_tokens,
        cache_write_tokens, long_cache_write_tokens, reasoning_tokens, audio_input_tokens, audio_output_tokens, images,
        seconds, characters, search_units
      FROM gone r
    UNION ALL
    SELECT 'month', (SELECT month FROM broken), face, group_id, SUM(attempts), SUM(calls), SUM(completed), SUM(failed),
        SUM(cancelled), SUM(incomplete), SUM(unreported), SUM(estimated), SUM(unsettled), SUM(unknown_costs),
        SUM(cost_micro_usd), SUM(input_tokens), SUM(output_tokens), SUM(cached_input_tokens), SUM(cache_write_tokens),
        SUM(long_cache_write_tokens), SUM(reasoning_tokens), SUM(audio_input_tokens), SUM(audio_output_tokens),
        SUM(images), SUM(seconds), SUM(characters), SUM(search_units)
      FROM gone WHERE period = 'day' AND start_at >= (SELECT month FROM broken) GROUP BY face, group_id
  )
  SELECT f.face, c.period, c.start_at, c.group_id || '.' || f.face, attempts, calls, completed, failed, cancelled,
      incomplete, unreported, estimated, unsettled, unknown_costs, cost_micro_usd, input_tokens, output_tokens,
      cached_input_tokens, cache_write_tokens, long_cache_write_tokens, reasoning_tokens, audio_input_tokens,
      audio_output_tokens, images, seconds, characters, search_units
    FROM copied c JOIN further f ON f.of = c.face;

-- SQLite has these rows in the order of their key. PostgreSQL gets a part for each period and face instead, so that what is
-- asked for together lies together, with room in each page for sums that change in their place.
-- postgres: ALTER TABLE usage_rollups RENAME TO usage_rollups_before;
-- postgres: ALTER TABLE usage_rollups_before DROP CONSTRAINT usage_rollups_pkey;
-- postgres: CREATE TABLE usage_rollups (LIKE usage_rollups_before INCLUDING DEFAULTS, PRIMARY KEY (face, period, start_at, group_id))
-- postgres:   PARTITION BY LIST (period);
-- postgres: DO $$
-- postgres: DECLARE
-- postgres:   span TEXT;
-- postgres:   kind TEXT;
-- postgres: BEGIN
-- postgres:   FOREACH span IN ARRAY ARRAY['hour', 'day', 'month'] LOOP
-- postgres:     EXECUTE format('CREATE TABLE %I PARTITION OF usage_rollups FOR VALUES IN (%L) PARTITION BY LIST (face)',
-- postgres:       'usage_rollups_' || span, span);
-- postgres:     FOREACH kind IN ARRAY ARRAY['model', 'holder', 'team', 'all', 'tag', 'outcome', 'holder-outcome', 'tagged',
-- postgres:         'tagged-holder', 'whole', 'tagged-whole'] LOOP
-- postgres:       EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES IN (%L) WITH (fillfactor = 70)',
-- postgres:         'usage_rollups_' || span || '_' || replace(kind, '-', '_'), 'usage_rollups_' || span, kind);
-- postgres:     END LOOP;
-- postgres:     EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT',
-- postgres:       'usage_rollups_' || span || '_others', 'usage_rollups_' || span);
-- postgres:   END LOOP;
-- postgres: END $$;
-- postgres: INSERT INTO usage_rollups SELECT * FROM usage_rollups_before;
-- postgres: DROP TABLE usage_rollups_before;
