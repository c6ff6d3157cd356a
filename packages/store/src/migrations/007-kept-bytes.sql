-- What each key keeps is bounded, by number and by bytes. `sequence` orders the responses of a key: 0 for those from before.
ALTER TABLE responses ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE responses ADD COLUMN sequence BIGINT NOT NULL DEFAULT 0;
UPDATE responses SET bytes = LENGTH(response) + LENGTH(input);
CREATE INDEX responses_by_key ON responses (key_id, sequence, created_at, bytes);
ALTER TABLE video_jobs ADD COLUMN bytes BIGINT;
