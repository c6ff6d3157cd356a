-- Plain column types that every SQL database has. Times are whole numbers: milliseconds since the epoch for keys and
-- usage, seconds for what the public API shows in seconds. Lists and documents are JSON text.
CREATE TABLE api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('caller', 'administrator')),
  prefix TEXT NOT NULL,
  requests_per_minute INTEGER,
  models TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);

-- `sequence` orders jobs made within the same second.
CREATE TABLE video_jobs (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  upstream_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('queued', 'in_progress', 'completed', 'failed')),
  progress INTEGER NOT NULL CHECK (progress BETWEEN 0 AND 100),
  prompt TEXT NOT NULL,
  seconds TEXT NOT NULL,
  size TEXT NOT NULL,
  request TEXT NOT NULL,
  error TEXT,
  content_file TEXT,
  created_at BIGINT NOT NULL,
  completed_at BIGINT,
  expires_at BIGINT,
  remixed_from_video_id TEXT
);
CREATE INDEX video_jobs_by_key ON video_jobs (key_id, sequence);
CREATE INDEX video_jobs_unfinished ON video_jobs (provider, sequence)
  WHERE status IN ('queued', 'in_progress');

CREATE TABLE responses (
  id TEXT NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  previous_response_id TEXT,
  provider TEXT,
  response TEXT NOT NULL,
  input TEXT NOT NULL
);

CREATE TABLE usage_records (
  sequence INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('completed', 'failed', 'cancelled', 'incomplete')),
  reported INTEGER NOT NULL CHECK (reported IN (0, 1)),
  started_at BIGINT NOT NULL,
  duration_ms DOUBLE PRECISION NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cached_input_tokens BIGINT,
  cache_write_tokens BIGINT,
  audio_input_tokens BIGINT,
  image_input_tokens BIGINT,
  reasoning_tokens BIGINT,
  audio_output_tokens BIGINT,
  seconds DOUBLE PRECISION,
  images INTEGER,
  search_units INTEGER
);
CREATE INDEX usage_records_by_start ON usage_records (started_at);
