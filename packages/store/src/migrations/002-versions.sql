-- Changed whenever a key is, so that every process that has the keys in memory reads them again.
CREATE TABLE versions (
  name TEXT NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL
);
INSERT INTO versions (name, version) VALUES ('keys', 0);

-- Told from another record by who wrote it, so that a batch can be written again after an answer was lost.
ALTER TABLE usage_records ADD COLUMN id TEXT;
CREATE UNIQUE INDEX usage_records_by_id ON usage_records (id) WHERE id IS NOT NULL;
