-- 1 or 0: whether users below make keys of their own; a level that says nothing leaves it to the others.
ALTER TABLE accounts ADD COLUMN own_keys INTEGER;
ALTER TABLE api_keys ADD COLUMN own_keys INTEGER;
