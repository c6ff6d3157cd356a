-- What the provider itself says that a call costs, in US dollars, and which cached tokens were audio, whose price may be another.
ALTER TABLE usage_records ADD COLUMN charged_usd DOUBLE PRECISION;
ALTER TABLE usage_records ADD COLUMN cached_audio_input_tokens BIGINT;
