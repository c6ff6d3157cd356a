-- Organizations, teams and users, and what each level may do. Lists and maps are JSON text. Times are milliseconds since the
-- epoch.
CREATE TABLE accounts (
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('organization', 'team', 'user')),
  name TEXT NOT NULL,
  parent_id TEXT,
  created_at BIGINT NOT NULL,
  disabled_at BIGINT,
  expires_at BIGINT,
  models TEXT,
  operations TEXT,
  addresses TEXT,
  requests_per_minute INTEGER,
  tokens_per_minute BIGINT,
  concurrent_requests INTEGER,
  budgets TEXT,
  metadata TEXT,
  tags TEXT
);
CREATE INDEX accounts_by_parent ON accounts (parent_id);

ALTER TABLE api_keys ADD COLUMN owner_id TEXT;
ALTER TABLE api_keys ADD COLUMN admin_role TEXT;
ALTER TABLE api_keys ADD COLUMN disabled_at BIGINT;
ALTER TABLE api_keys ADD COLUMN older_secrets TEXT;
ALTER TABLE api_keys ADD COLUMN operations TEXT;
ALTER TABLE api_keys ADD COLUMN addresses TEXT;
ALTER TABLE api_keys ADD COLUMN tokens_per_minute BIGINT;
ALTER TABLE api_keys ADD COLUMN concurrent_requests INTEGER;
ALTER TABLE api_keys ADD COLUMN budgets TEXT;
ALTER TABLE api_keys ADD COLUMN metadata TEXT;
ALTER TABLE api_keys ADD COLUMN tags TEXT;

-- Only ever added to. Each entry says the hash of the one before it, so that none can be changed or taken out unseen; its
-- number is one more, so that of two changes at once one is made again on top of the other.
CREATE TABLE audit_log (
  sequence BIGINT NOT NULL PRIMARY KEY,
  at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  before TEXT,
  after TEXT,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL
);
