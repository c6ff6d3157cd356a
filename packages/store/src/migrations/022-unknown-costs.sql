-- What was put aside for records whose cost nobody knows counts in budgets: they are few, and found without the others.
CREATE INDEX usage_records_by_unknown_cost ON usage_records (started_at) WHERE cost_micro_usd IS NULL;
