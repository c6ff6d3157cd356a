-- What budgets had put aside for a call, which stands for its cost while nobody knows that; and the budget that sent it to
-- another route.
ALTER TABLE usage_records ADD COLUMN reserved_micro_usd BIGINT;
ALTER TABLE usage_records ADD COLUMN over_budget TEXT;
