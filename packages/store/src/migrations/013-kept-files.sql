-- Files that any process may be asked for, in parts of some hundred kilobytes, each in base64: published pictures, and those
-- of the built-in engine's video tasks, whose id they have. A file is there once all of its parts are. Times are in
-- milliseconds.
CREATE TABLE kept_files (
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  part BIGINT NOT NULL,
  parts BIGINT NOT NULL,
  content_type TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (id, kind, part)
);
CREATE INDEX kept_files_by_age ON kept_files (kind, created_at, id, bytes, expires_at);

-- Which process works on a task of the built-in engine, and until when nobody else may take it.
ALTER TABLE video_jobs ADD COLUMN claimed_by TEXT;
ALTER TABLE video_jobs ADD COLUMN claimed_until BIGINT;
