-- The process that made the attempt died before it was over.
ALTER TABLE usage_records ADD COLUMN unsettled INTEGER CHECK (unsettled IN (0, 1));
