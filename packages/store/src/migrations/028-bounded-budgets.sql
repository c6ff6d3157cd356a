-- How budgets reserve output without a limit (limit, reserve, refuse), and input (bytes, estimate).
ALTER TABLE accounts ADD COLUMN output TEXT;
ALTER TABLE accounts ADD COLUMN input_bound TEXT;
ALTER TABLE api_keys ADD COLUMN output TEXT;
ALTER TABLE api_keys ADD COLUMN input_bound TEXT;
