-- The name that a caller asked for, where it is a route's, is in no sum: without it a seldom route would be looked for in all records.
CREATE INDEX usage_records_by_requested_model ON usage_records (requested_model, started_at) WHERE requested_model IS NOT NULL;
