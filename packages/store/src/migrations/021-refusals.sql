-- Calls that were refused before any upstream was asked: a row for each hour and reason, with the last of them.
CREATE TABLE refusals (
  hour BIGINT NOT NULL,
  key_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  code TEXT NOT NULL,
  status INTEGER NOT NULL,
  user_id TEXT,
  organization_id TEXT,
  count BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  message TEXT NOT NULL,
  call_id TEXT NOT NULL,
  model TEXT,
  PRIMARY KEY (hour, key_id, team_id, operation, code, status)
);
