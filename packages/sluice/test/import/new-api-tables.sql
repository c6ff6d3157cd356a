-- The tables of new-api's database that are imported, as it makes them in SQLite; PostgreSQL takes the same.
CREATE TABLE channels (
  id INTEGER PRIMARY KEY, type BIGINT DEFAULT 0, "key" TEXT NOT NULL, openai_organization TEXT, test_model TEXT, status BIGINT DEFAULT 1,
  name TEXT, weight BIGINT DEFAULT 0, created_time BIGINT, test_time BIGINT, response_time BIGINT, base_url TEXT DEFAULT '', other TEXT,
  balance DOUBLE PRECISION, balance_updated_time BIGINT, models TEXT, "group" VARCHAR(64) DEFAULT 'default', used_quota BIGINT DEFAULT 0,
  model_mapping TEXT, status_code_mapping VARCHAR(1024) DEFAULT '', priority BIGINT DEFAULT 0, auto_ban BIGINT DEFAULT 1, other_info TEXT,
  tag TEXT, setting TEXT, param_override TEXT, header_override TEXT, remark VARCHAR(255), channel_info TEXT, settings TEXT
);
CREATE TABLE users (
  id INTEGER PRIMARY KEY, username TEXT UNIQUE, password TEXT NOT NULL, display_name TEXT, role INT DEFAULT 1, status INT DEFAULT 1, email TEXT,
  access_token CHAR(32), quota INT DEFAULT 0, used_quota INT DEFAULT 0, request_count INT DEFAULT 0, "group" VARCHAR(64) DEFAULT 'default',
  aff_code VARCHAR(32), aff_count INT DEFAULT 0, inviter_id BIGINT, deleted_at TIMESTAMP, setting TEXT, created_at BIGINT
);
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY, user_id BIGINT, "key" VARCHAR(128) UNIQUE, status BIGINT DEFAULT 1, name TEXT, created_time BIGINT,
  accessed_time BIGINT, expired_time BIGINT DEFAULT -1, remain_quota BIGINT DEFAULT 0, unlimited_quota BOOLEAN, model_limits_enabled BOOLEAN,
  model_limits TEXT, allow_ips TEXT DEFAULT '', used_quota BIGINT DEFAULT 0, "group" TEXT DEFAULT '', cross_group_retry BOOLEAN,
  deleted_at TIMESTAMP
);
CREATE TABLE options ("key" TEXT PRIMARY KEY, value TEXT);
