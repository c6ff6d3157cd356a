-- What the hash of a key from another gateway is made of; NULL for our own.
ALTER TABLE api_keys ADD COLUMN hash_scheme TEXT;
