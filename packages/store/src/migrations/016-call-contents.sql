-- Prompts and answers, masked, of calls whose key, user, team or organization has `content_logging`.
CREATE TABLE call_contents (
  call_id TEXT NOT NULL PRIMARY KEY,
  request_id TEXT,
  key_id TEXT NOT NULL,
  user_id TEXT,
  team_id TEXT,
  organization_id TEXT,
  created_at BIGINT NOT NULL,
  operation TEXT NOT NULL,
  format TEXT NOT NULL,
  request TEXT NOT NULL,
  answer TEXT NOT NULL,
  request_cut INTEGER NOT NULL,
  answer_cut INTEGER NOT NULL,
  masked INTEGER NOT NULL
);
CREATE INDEX call_contents_by_time ON call_contents (created_at);
CREATE INDEX call_contents_by_key ON call_contents (key_id);
CREATE INDEX call_contents_by_user ON call_contents (user_id);

-- 1 or 0; a level that says nothing leaves it to the others.
ALTER TABLE accounts ADD COLUMN content_logging INTEGER;
ALTER TABLE api_keys ADD COLUMN content_logging INTEGER;
