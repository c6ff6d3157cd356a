import type { JWTVerifyGetKey } from 'jose'

/** How long the issuer's server may take for its keys. */
const keysWaitMs = 3_000
/** A key that is not known is looked for no more often, whoever asks. */
const keysAgainMs = 30_000
const keysKeptMs = 600_000

/** The keys of an issuer, read when the first token comes and kept for ten minutes. */
export async function keysOfIssuer(url: string): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet } = await import('jose')
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: keysWaitMs,
    cooldownDuration: keysAgainMs,
    cacheMaxAge: keysKeptMs,
  })
}

/** What jose says where the issuer's keys did not come, or are none. */
const keyFaults: ReadonlySet<string> = new Set([
  'ERR_JOSE_GENERIC',
  'ERR_JWKS_TIMEOUT',
  'ERR_JWKS_INVALID',
])

/** Whether a verification failed since the keys cannot be read; all else that jose says of a token is the token's fault. */
export async function keysUnreadable(thrown: unknown): Promise<boolean> {
  const { errors } = await import('jose')
  return !(thrown instanceof errors.JOSEError) || keyFaults.has(thrown.code)
}
