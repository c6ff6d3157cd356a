import { GatewayError, isObject, someText } from '@sluice/contract'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { type Fetch, keysOfIssuer, keysUnreadable } from '@sluice/gateway/accounts/token-keys.ts'

/** The subject or the session that a logout token ends; at least one is present. */
export interface LoggedOut {
  readonly issuer: string
  readonly subject?: string
  /** The issuer's session id. */
  readonly session?: string
}

export interface LogoutPlace {
  readonly issuer: string
  readonly clientId: string
  /** The URL of the issuer's keys. */
  readonly keysUrl: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

const event = 'http://schemas.openid.net/event/backchannel-logout'
/** Asymmetric signature algorithms only. */
const algorithms = ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => kind + bits))
const toleranceSeconds = 30
/** Limits how long an intercepted token can be used. */
const ageMaxSeconds = 300

/** Reads logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.6); caches the issuer's keys. */
export function createLogoutReader(
  fetch: Fetch,
): (token: string, place: LogoutPlace) => Promise<LoggedOut> {
  let known: { readonly url: string; readonly keys: JWTVerifyGetKey } | undefined

  /** @throws GatewayError `invalid_request` for an invalid token, `overloaded` if the issuer's keys cannot be fetched. */
  return async (token, { issuer, clientId, keysUrl, at }) => {
    const { jwtVerify } = await import('jose')
    if (known?.url !== keysUrl) known = { url: keysUrl, keys: await keysOfIssuer(keysUrl, fetch) }
    try {
      const { payload } = await jwtVerify(token, known.keys, {
        issuer,
        audience: clientId,
        algorithms: [...algorithms, 'EdDSA'],
        requiredClaims: ['iat', 'jti', 'events'],
        maxTokenAge: ageMaxSeconds,
        clockTolerance: toleranceSeconds,
        currentDate: new Date(at),
      })
      return loggedOut(payload, issuer)
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause
      if (await keysUnreadable(cause))
        throw new GatewayError('overloaded', 'The issuer’s keys cannot be read at the moment', {
          retryAfterMs: 5_000,
          cause,
        })
      throw notOne('It is not signed by the issuer, for this client, just now', cause)
    }
  }
}

function loggedOut(payload: JWTPayload, issuer: string): LoggedOut {
  const { events, sub, sid, nonce } = payload
  if (!isObject(events) || !isObject(events[event])) throw notOne('It tells of no logout')
  // Otherwise an ID token could be used instead.
  if (nonce !== undefined) throw notOne('It has a nonce')
  const subject = someText(sub)
  const session = someText(sid)
  if (subject === undefined && session === undefined) throw notOne('It names nobody')
  return {
    issuer,
    ...(subject !== undefined && { subject }),
    ...(session !== undefined && { session }),
  }
}

function notOne(why: string, cause?: unknown): GatewayError {
  const message = `'logout_token' is not a logout token: ${why}`
  const param = 'logout_token'
  return new GatewayError('invalid_request', message, { param, cause })
}
