-- Conversations of POST /v1/conversations. `last_place` is the place of the last item that was ever added.
CREATE TABLE conversations (
  id TEXT NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL,
  metadata TEXT NOT NULL,
  items BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  last_place BIGINT NOT NULL,
  locked_by TEXT,
  locked_until BIGINT
);
CREATE INDEX conversations_by_key ON conversations (key_id, used_at);

-- What was said in them, in order.
CREATE TABLE conversation_items (
  conversation_id TEXT NOT NULL,
  place BIGINT NOT NULL,
  id TEXT NOT NULL,
  item TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  PRIMARY KEY (conversation_id, place),
  UNIQUE (conversation_id, id)
);
