-- What a question needs of the groups are those of one face, often those of one key.
CREATE INDEX usage_groups_by_face ON usage_groups (face, key_id);
