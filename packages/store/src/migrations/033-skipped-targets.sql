-- Why other targets of the call were not asked in their turn: a JSON list.
ALTER TABLE usage_records ADD COLUMN skipped TEXT;
