-- Routes and providers that administrators add while the gateway runs. The documents of providers are encrypted.
CREATE TABLE stored_settings (
  section TEXT NOT NULL,
  name TEXT NOT NULL,
  document TEXT NOT NULL,
  version BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (section, name)
);
