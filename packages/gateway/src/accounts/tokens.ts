import { isDeepStrictEqual } from 'node:util'
import { GatewayError, isObject } from '@sluice/contract'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import type { JwtConfig } from '../settings/schema-jwt.ts'
import type { ApiKey, Caller } from '../ports/api-key.ts'
import type { ExpiringCaller } from './callers.ts'
import { tokenKey } from './token-key.ts'
import { type Fetch, keysOfFile, keysOfIssuer, keysUnreadable } from './token-keys.ts'

/** Callers that authenticate with a token of an issuer instead of a key (RFC 7519). */
export interface Tokens {
  /**
   * The caller of a token; a promise if its signature has not been verified yet. Undefined if it is not a token of a known
   * issuer.
   *
   * @throws GatewayError `unauthenticated` for an invalid token, `overloaded` if the issuer's keys cannot be read.
   */
  find(token: string): Caller | undefined | Promise<Caller | undefined>
  /** Replaces the issuers; keys of unchanged issuers are kept. */
  configure(issuers: readonly JwtConfig[]): void
}

export interface TokenOptions {
  readonly fetch: Fetch
  readonly issuers: readonly JwtConfig[]
  readonly keys: {
    /** A key with its current owners; undefined if one of them is not valid. */
    expiringCaller(key: ApiKey): ExpiringCaller | undefined
  }
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Larger tokens do not fit the header limits of servers. */
const tokenLengthMax = 8_192
/** Allowed clock difference. */
const toleranceSeconds = 30
/** Maximum number of cached tokens. */
const seenMax = 10_000
/** A signature is verified again after this time, because the issuer may have withdrawn the key, in milliseconds. */
const checkedMs = 60_000

interface Issuer {
  readonly settings: JwtConfig
  keys?: JWTVerifyGetKey
}

interface Seen {
  readonly key: ApiKey
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly checkedAt: number
}

/** Verifies tokens offline with the keys of their issuers. */
export function createTokens({ fetch, issuers, keys, now }: TokenOptions): Tokens {
  let known = new Map<string, Issuer>()
  let seen = new Map<string, Seen>()
  configure(issuers)

  function configure(next: readonly JwtConfig[]): void {
    const before = known
    known = new Map(
      next.map((settings) => {
        const same = before.get(settings.issuer)
        const isSame = same && isDeepStrictEqual(same.settings, settings)
        return [settings.issuer, isSame ? same : { settings }]
      }),
    )
    seen = new Map()
  }

  /** Looks up the owners again, because they may have changed since the signature was verified. */
  function callerOf({ key, expiresAt }: Seen): Caller {
    const time = now()
    const found = keys.expiringCaller(key)
    if (expiresAt <= time) throw invalid('The token has expired')
    if (!found || found.expiresAt <= time || isOfOrganization(found.caller))
      throw invalid('The token belongs to no account that may send requests')
    return found.caller
  }

  async function verify(token: string, issuer: Issuer): Promise<Caller> {
    const remembered = seen
    const checkedAt = now()
    const payload = await verified(token, { issuer, fetch }, checkedAt)
    const key = tokenKey(payload, issuer.settings)
    const found = { key, expiresAt: (payload.exp ?? 0) * 1000, checkedAt }
    if (remembered.size >= seenMax) remembered.clear()
    remembered.set(token, found)
    return callerOf(found)
  }

  return {
    find(token) {
      const found = seen.get(token)
      if (found && now() - found.checkedAt < checkedMs) return callerOf(found)
      const issuer = known.get(issuerOf(token) ?? '')
      return issuer && verify(token, issuer)
    },
    configure,
  }
}

/** The unverified issuer of a text, if it looks like a token. */
function issuerOf(token: string): string | undefined {
  if (token.length > tokenLengthMax || !token.startsWith('eyJ')) return undefined
  const [, payload, signature, ...more] = token.split('.')
  if (payload === undefined || signature === undefined || more.length > 0) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    return isObject(claims) && typeof claims['iss'] === 'string' ? claims['iss'] : undefined
  } catch {
    return undefined
  }
}

async function verified(
  token: string,
  { issuer, fetch }: { readonly issuer: Issuer; readonly fetch: Fetch },
  time: number,
): Promise<JWTPayload> {
  const { jwtVerify, errors } = await import('jose')
  const { settings } = issuer
  try {
    issuer.keys ??= await keysOf(settings, fetch)
    const { payload } = await jwtVerify(token, issuer.keys, {
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms: [...(settings.algorithms ?? ['RS256', 'ES256', 'EdDSA'])],
      requiredClaims: ['exp', settings.userClaim ?? 'sub'],
      clockTolerance: toleranceSeconds,
      currentDate: new Date(time),
    })
    return payload
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) throw invalid('The token has expired', cause)
    if (!(await keysUnreadable(cause))) throw invalid('The token is not valid', cause)
    throw new GatewayError(
      'overloaded',
      'The keys of the token’s issuer cannot be read at the moment',
      {
        retryAfterMs: 5_000,
        cause,
      },
    )
  }
}

function keysOf({ jwksUrl, jwksFile }: JwtConfig, fetch: Fetch): Promise<JWTVerifyGetKey> {
  return jwksFile === undefined ? keysOfIssuer(jwksUrl ?? '', fetch) : keysOfFile(jwksFile)
}

/** Like a key, a caller must belong to a user or a team, so that their limits apply. */
function isOfOrganization({ owners: { userId, teamId, organizationId } }: Caller): boolean {
  return organizationId !== undefined && userId === undefined && teamId === undefined
}

function invalid(message: string, cause?: unknown): GatewayError {
  return new GatewayError('unauthenticated', message, cause === undefined ? {} : { cause })
}
