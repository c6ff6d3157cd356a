-- What operators are told of: nothing of one name is told again before `quiet_until`, by whichever process.
CREATE TABLE alerts (
  name TEXT NOT NULL PRIMARY KEY,
  message_id TEXT NOT NULL,
  quiet_until BIGINT NOT NULL
);

-- Messages that a webhook has not taken yet. Who puts `next_at` off may try in the meantime.
CREATE TABLE alert_deliveries (
  message_id TEXT NOT NULL,
  webhook TEXT NOT NULL,
  body TEXT NOT NULL,
  tries INTEGER NOT NULL,
  next_at BIGINT NOT NULL,
  PRIMARY KEY (message_id, webhook)
);
CREATE INDEX alert_deliveries_by_time ON alert_deliveries (next_at);
