-- Who a user is at the OpenID Connect issuer, as the SHA-256 of issuer and subject: one identity is one user.
ALTER TABLE accounts ADD COLUMN identity TEXT;
CREATE UNIQUE INDEX accounts_by_identity ON accounts (identity);
