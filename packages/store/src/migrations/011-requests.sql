-- What was seen of a call, so that it can be looked at afterwards. `dropped` is a JSON list.
ALTER TABLE usage_records ADD COLUMN client_address TEXT;
ALTER TABLE usage_records ADD COLUMN format TEXT;
ALTER TABLE usage_records ADD COLUMN streamed INTEGER CHECK (streamed IN (0, 1));
ALTER TABLE usage_records ADD COLUMN requested_model TEXT;
ALTER TABLE usage_records ADD COLUMN first_token_ms BIGINT;
ALTER TABLE usage_records ADD COLUMN status INTEGER;
ALTER TABLE usage_records ADD COLUMN error_code TEXT;
ALTER TABLE usage_records ADD COLUMN reason TEXT;
ALTER TABLE usage_records ADD COLUMN upstream_status INTEGER;
ALTER TABLE usage_records ADD COLUMN upstream_request_id TEXT;
ALTER TABLE usage_records ADD COLUMN dropped TEXT;

-- Calls are looked for by id, and failures by time; where there is something of a key, a team or a model, the sums know.
CREATE INDEX usage_records_by_call ON usage_records (call_id);
CREATE INDEX usage_records_by_request ON usage_records (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX usage_records_by_failure ON usage_records (status, started_at) WHERE status >= 400;
CREATE INDEX usage_records_not_completed ON usage_records (started_at) WHERE outcome <> 'completed';

-- How many streams had their first token within each of the bounds of `ports/first-token.ts`, and later.
ALTER TABLE usage_rollups ADD COLUMN first_tokens_0 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_1 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_2 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_3 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_4 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_5 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_6 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_7 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_8 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_9 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_10 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_11 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_12 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_13 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_14 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_rollups ADD COLUMN first_tokens_15 BIGINT NOT NULL DEFAULT 0;
