import { readFile } from 'node:fs/promises'
import type { JWTVerifyGetKey } from 'jose'

/** How issuers are asked. */
export type Fetch = typeof globalThis.fetch

/** Timeout for fetching the issuer's keys, in milliseconds. */
const keysWaitMs = 3_000
/** Minimum interval between fetches for an unknown key, in milliseconds. */
const keysAgainMs = 30_000
const keysKeptMs = 600_000
/** Minimum interval between attempts while no keys of the issuer are known, in milliseconds. */
const keysFailedMs = 1_000

/** How long known keys are used while the issuer cannot be reached, so that callers are not locked out, in milliseconds. */
const keysHoldMs = 86_400_000

/** The keys of an issuer, fetched with the first token and cached for ten minutes. */
export async function keysOfIssuer(url: string, fetch: Fetch): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet, createRemoteJWKSet, customFetch } = await import('jose')
  const remote = createRemoteJWKSet(new URL(url), {
    timeoutDuration: keysWaitMs,
    cooldownDuration: keysAgainMs,
    cacheMaxAge: keysKeptMs,
    [customFetch]: fetch,
  })
  let freshAt = -Infinity
  let failure: { readonly at: number; readonly thrown: unknown } | undefined

  /** Finds a key among the issuer's current keys. */
  async function current(...token: Parameters<JWTVerifyGetKey>) {
    const key = await remote(...token)
    if (remote.fresh) freshAt = Date.now()
    failure = undefined
    return key
  }

  /** The last known keys, if they are recent enough. */
  function earlier(): JWTVerifyGetKey | undefined {
    const known = Date.now() - freshAt < keysHoldMs ? remote.jwks() : undefined
    return known && createLocalJWKSet(known)
  }

  return async (...token) => {
    const known = earlier()
    const restMs = known ? keysAgainMs : keysFailedMs
    if (!failure || Date.now() - failure.at >= restMs)
      try {
        return await current(...token)
      } catch (thrown) {
        if (!(await keysUnreadable(thrown))) throw thrown
        failure = { at: Date.now(), thrown }
      }
    if (!known) throw failure.thrown
    try {
      return await known(...token)
    } catch {
      // An unknown key may be a new one that could not be fetched.
      throw failure.thrown
    }
  }
}

/** Interval for reading the file again, in milliseconds. */
const fileAgainMs = 60_000

/** The keys in a file, which may be replaced; while it cannot be read, the last keys are used. */
export async function keysOfFile(path: string): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet } = await import('jose')
  let known: JWTVerifyGetKey | undefined
  let readAt = -Infinity
  return async (...token) => {
    if (!known || Date.now() - readAt >= fileAgainMs) {
      readAt = Date.now()
      try {
        known = createLocalJWKSet(JSON.parse(await readFile(path, 'utf8')))
      } catch (thrown) {
        if (!known) throw thrown
      }
    }
    return known(...token)
  }
}

/** The error codes of jose for keys that could not be fetched or are invalid. */
const keyFaults: ReadonlySet<string> = new Set([
  'ERR_JOSE_GENERIC',
  'ERR_JWKS_TIMEOUT',
  'ERR_JWKS_INVALID',
])

/** Whether a verification failed because the keys cannot be read; any other error of jose is the token's fault. */
export async function keysUnreadable(thrown: unknown): Promise<boolean> {
  const { errors } = await import('jose')
  return !(thrown instanceof errors.JOSEError) || keyFaults.has(thrown.code)
}
