-- Whose each id is that an upstream knows: a response, its items, its containers and their files. It stays after the
-- response was deleted, so that nobody else may use it then.
CREATE TABLE upstream_ids (
  id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  response_id TEXT NOT NULL,
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
  PRIMARY KEY (id, key_id)
);
CREATE INDEX upstream_ids_by_response ON upstream_ids (response_id);
INSERT INTO upstream_ids (id, key_id, response_id, deleted)
  SELECT id, key_id, id, 0 FROM responses WHERE provider IS NOT NULL;

-- What a caller who left was charged is an estimate. The caller's own name for its request, which need not be unique.
ALTER TABLE usage_records ADD COLUMN estimated INTEGER CHECK (estimated IN (0, 1));
ALTER TABLE usage_records ADD COLUMN request_id TEXT;
