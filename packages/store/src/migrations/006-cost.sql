-- What a call cost, in millionths of a dollar: NULL where nobody knows the price, which is never the same as 0. What it is
-- calculated from stands beside it.
ALTER TABLE usage_records ADD COLUMN cost_micro_usd BIGINT;
ALTER TABLE usage_records ADD COLUMN price_source TEXT;
ALTER TABLE usage_records ADD COLUMN price_date TEXT;
ALTER TABLE usage_records ADD COLUMN image_output_tokens BIGINT;
ALTER TABLE usage_records ADD COLUMN billed_input_tokens BIGINT;
ALTER TABLE usage_records ADD COLUMN billed_output_tokens BIGINT;
ALTER TABLE usage_records ADD COLUMN characters BIGINT;
ALTER TABLE usage_records ADD COLUMN size TEXT;
ALTER TABLE usage_records ADD COLUMN quality TEXT;
ALTER TABLE usage_records ADD COLUMN service_tier TEXT;
