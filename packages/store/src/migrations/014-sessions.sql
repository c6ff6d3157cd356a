-- Who is signed in at the console. What a browser holds is not kept, only its hash. `key_hash` is the secret that was signed in
-- with; `principal`, as JSON, is who signed in without one. Times are milliseconds since the epoch.
CREATE TABLE sessions (
  hash TEXT NOT NULL PRIMARY KEY,
  key_hash TEXT,
  principal TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_end ON sessions (expires_at);
