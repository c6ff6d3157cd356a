-- Refused calls themselves, for a few days, so that each can be found by its id.
CREATE TABLE kept_refusals (
  call_id TEXT NOT NULL PRIMARY KEY,
  request_id TEXT,
  at BIGINT NOT NULL,
  duration_ms BIGINT NOT NULL,
  key_id TEXT NOT NULL,
  user_id TEXT,
  team_id TEXT,
  organization_id TEXT,
  operation TEXT NOT NULL,
  format TEXT NOT NULL,
  model TEXT,
  status INTEGER NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL
);
CREATE INDEX kept_refusals_by_time ON kept_refusals (at, call_id);
CREATE INDEX kept_refusals_by_request ON kept_refusals (request_id) WHERE request_id IS NOT NULL;
