-- With which account of a provider something was made: its keys may belong to several, and each knows only what it has made itself.
ALTER TABLE responses ADD COLUMN account TEXT;
ALTER TABLE upstream_ids ADD COLUMN account TEXT;
