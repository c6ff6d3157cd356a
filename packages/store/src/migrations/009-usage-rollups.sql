-- Who a call was made for, beside its key, and the tags it is billed by, as a JSON list.
ALTER TABLE usage_records ADD COLUMN user_id TEXT;
ALTER TABLE usage_records ADD COLUMN team_id TEXT;
ALTER TABLE usage_records ADD COLUMN organization_id TEXT;
ALTER TABLE usage_records ADD COLUMN tags TEXT;

-- What sums are kept of. A face says which of the columns count; the others are empty, and so is what a call has not. The
-- id is made from all of them. `moved_to` is set within the transaction that erases an id.
CREATE TABLE usage_groups (
  id TEXT NOT NULL PRIMARY KEY,
  face TEXT NOT NULL,
  key_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  operation TEXT NOT NULL,
  tag TEXT NOT NULL,
  moved_to TEXT
);

-- Sums by hour, day and month in UTC; `start_at` is the first millisecond. Costs are summed where they are known.
CREATE TABLE usage_rollups (
  face TEXT NOT NULL,
  period TEXT NOT NULL,
  start_at BIGINT NOT NULL,
  group_id TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  calls BIGINT NOT NULL,
  completed BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  cancelled BIGINT NOT NULL,
  incomplete BIGINT NOT NULL,
  unreported BIGINT NOT NULL,
  estimated BIGINT NOT NULL,
  unsettled BIGINT NOT NULL,
  unknown_costs BIGINT NOT NULL,
  cost_micro_usd BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cached_input_tokens BIGINT NOT NULL,
  cache_write_tokens BIGINT NOT NULL,
  long_cache_write_tokens BIGINT NOT NULL,
  reasoning_tokens BIGINT NOT NULL,
  audio_input_tokens BIGINT NOT NULL,
  audio_output_tokens BIGINT NOT NULL,
  images BIGINT NOT NULL,
  seconds DOUBLE PRECISION NOT NULL,
  characters BIGINT NOT NULL,
  search_units BIGINT NOT NULL,
  PRIMARY KEY (face, period, start_at, group_id)
) WITHOUT ROWID;

-- `folded`: the last record that the sums hold. `epoch` changes with whatever makes sums that are being made wrong.
-- `kept_from`: the first day of which all records are still there. `clearing`: the sums are being removed, to be made anew.
-- `rebuilt_to`: up to this record those that began before `rebuilt_from` are in the sums that a rebuild has left.
CREATE TABLE usage_state (
  name TEXT NOT NULL PRIMARY KEY,
  value BIGINT NOT NULL
);
INSERT INTO usage_state (name, value) VALUES
  ('folded', 0), ('epoch', 0), ('kept_from', 0), ('clearing', 0), ('rebuilt_to', 0), ('rebuilt_from', 0);
