-- Places for videos that are being asked for and are not kept yet, until when (milliseconds) they are held at most.
CREATE TABLE video_places (
  id TEXT NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  until BIGINT NOT NULL
);
CREATE INDEX video_places_by_key ON video_places (key_id);

-- A row for each key that asks: whoever changes it takes a place alone.
CREATE TABLE video_turns (
  key_id TEXT NOT NULL PRIMARY KEY,
  turn BIGINT NOT NULL
);
