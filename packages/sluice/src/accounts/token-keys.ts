import { readFile } from 'node:fs/promises'
import type { JWTVerifyGetKey } from 'jose'

/** How long the issuer's server may take for its keys. */
const keysWaitMs = 3_000
/** A key that is not known is looked for no more often, whoever asks. */
const keysAgainMs = 30_000
const keysKeptMs = 600_000
/** So long an issuer whose keys nobody has is not asked again after it failed, however many tokens come. */
const keysFailedMs = 1_000

/** While an issuer cannot be asked, the keys that it had hold so long: those who have its tokens are not locked out. */
const keysHoldMs = 86_400_000

/** The keys of an issuer, read when the first token comes and kept for ten minutes. */
export async function keysOfIssuer(url: string): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet, createRemoteJWKSet } = await import('jose')
  const remote = createRemoteJWKSet(new URL(url), {
    timeoutDuration: keysWaitMs,
    cooldownDuration: keysAgainMs,
    cacheMaxAge: keysKeptMs,
  })
  let freshAt = -Infinity
  let failure: { readonly at: number; readonly thrown: unknown } | undefined

  /** A key that the issuer has now. */
  async function current(...token: Parameters<JWTVerifyGetKey>) {
    const key = await remote(...token)
    if (remote.fresh) freshAt = Date.now()
    failure = undefined
    return key
  }

  /** Of those that it had, if that is not too long ago. */
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
      // Of a key that is not among them nobody can say now that there is none.
      throw failure.thrown
    }
  }
}

/** A file is read again after this. */
const fileAgainMs = 60_000

/** The keys in a file, which may be replaced; while it cannot be read, those that it had hold. */
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
