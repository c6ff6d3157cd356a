import { GatewayError, isObject } from '@sluice/contract'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { keysOfIssuer, keysUnreadable } from './token-keys.ts'

/** Who has signed out at the issuer, or which session has ended there; one of the two is there at least. */
export interface LoggedOut {
  readonly issuer: string
  readonly subject?: string
  /** What the issuer calls the session. */
  readonly session?: string
}

export interface LogoutPlace {
  readonly issuer: string
  readonly clientId: string
  /** Where the issuer's keys are. */
  readonly keysUrl: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

const event = 'http://schemas.openid.net/event/backchannel-logout'
/** What issuers sign with; none that both sides would have to know a secret for. */
const algorithms = ['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => kind + bits))
const toleranceSeconds = 30
/** A token that somebody has seen is good for no longer. */
const ageMaxSeconds = 300

/** Reads logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.6); the keys of the issuer are kept between them. */
export function createLogoutReader(): (token: string, place: LogoutPlace) => Promise<LoggedOut> {
  let known: { readonly url: string; readonly keys: JWTVerifyGetKey } | undefined

  /** @throws GatewayError `invalid_request` where it is none, `overloaded` where the issuer's keys cannot be read. */
  return async (token, { issuer, clientId, keysUrl, at }) => {
    const { jwtVerify } = await import('jose')
    if (known?.url !== keysUrl) known = { url: keysUrl, keys: await keysOfIssuer(keysUrl) }
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
        throw new GatewayError('overloaded', 'The issuer’s keys cannot be read for now', {
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
  // Else an ID token could be sent in its place.
  if (nonce !== undefined) throw notOne('It has a nonce')
  const subject = typeof sub === 'string' && sub !== '' ? sub : undefined
  const session = typeof sid === 'string' && sid !== '' ? sid : undefined
  if (subject === undefined && session === undefined) throw notOne('It names nobody')
  return {
    issuer,
    ...(subject !== undefined && { subject }),
    ...(session !== undefined && { session }),
  }
}

function notOne(why: string, cause?: unknown): GatewayError {
  const message = `'logout_token' is no logout token: ${why}`
  const param = 'logout_token'
  return new GatewayError('invalid_request', message, { param, cause })
}
