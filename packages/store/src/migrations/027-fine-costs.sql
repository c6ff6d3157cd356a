-- What `cost_micro_usd` and `reserved_micro_usd`, which are whole millionths of a dollar, lack to the picodollar (10⁻¹² US
-- dollars): negative if they were rounded up, NULL if nothing. Rows of before lack nothing, so that none is touched; programs of
-- before go on reading and writing the whole millionths.
ALTER TABLE usage_records ADD COLUMN cost_rest_pico_usd BIGINT;
ALTER TABLE usage_records ADD COLUMN reserved_rest_pico_usd BIGINT;
ALTER TABLE usage_rollups ADD COLUMN cost_rest_pico_usd BIGINT NOT NULL DEFAULT 0;
-- `folded_rests`: the last record of which the sums hold this, too. Programs of before do not move it.
INSERT INTO usage_state (name, value) SELECT 'folded_rests', value FROM usage_state WHERE name = 'folded';
