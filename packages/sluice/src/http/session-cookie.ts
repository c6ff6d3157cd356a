import type { FastifyRequest } from 'fastify'
import { GatewayError } from '@sluice/contract'
import { isListed } from '../config/address-block.ts'
import type { ServerOptions } from './address.ts'

/** Browsers keep this prefix to themselves: nobody else can set such a cookie, and it goes to this host alone (RFC 6265bis, 4.1.3). */
const secureName = '__Host-sluice-session'
const plainName = 'sluice-session'

/** From the question to the issuer's answer. */
const askedNames = { secure: '__Host-sluice-sign-in', plain: 'sluice-sign-in' }
/** Nobody takes longer at the issuer. */
const askedSeconds = 600

/** What the issuer signed. It is sent to the address of sessions alone, which a cookie with the prefix `__Host-` cannot be. */
const idTokenNames = { secure: '__Secure-sluice-id-token', plain: 'sluice-id-token' }
const idTokenPath = '/admin/v1/session'
/** Browsers keep cookies of 4,096 bytes, name and all (RFC 6265bis, 5.6); a token that is longer is done without. */
const idTokenMax = 3_900

/** A page of another origin cannot send it without asking first, and is never let. */
const consoleHeader = 'x-sluice-console'

type Asked = Pick<FastifyRequest, 'headers' | 'raw' | 'method'>
type Place = Pick<ServerOptions, 'publicUrl' | 'trustedProxies'>

/**
 * The token of the session that a browser sends along; undefined where it sends none. By https only the cookie with the prefix
 * counts: a neighbouring host could have set the other, and have signed somebody in as itself.
 */
export function sessionTokenOf(request: Asked, place: Place): string | undefined {
  const { cookie } = request.headers
  if (cookie === undefined) return undefined
  return cookieIn(cookie, isSecure(request, place) ? secureName : plainName)
}

function cookieIn(cookie: string, name: string): string | undefined {
  const pairs = cookie.split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** The value of `set-cookie` that makes a browser hold the token; an empty one lets it forget. */
export function sessionCookie(token: string, isSecure: boolean, seconds: number): string {
  const name = isSecure ? secureName : plainName
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/**
 * The value of `set-cookie` that makes a browser keep what it has asked the issuer; an empty one lets it forget. The issuer sends
 * the browser back from another site, where it keeps a strict cookie to itself: this one is lax, and good for that way alone.
 */
export function askedCookie(value: string, isSecure: boolean): string {
  const name = isSecure ? askedNames.secure : askedNames.plain
  const seconds = value === '' ? 0 : askedSeconds
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** What a browser has kept; undefined where it has asked nothing of late. */
export function askedOf(
  { headers: { cookie } }: Pick<Asked, 'headers'>,
  isSecure: boolean,
): string | undefined {
  if (cookie === undefined) return undefined
  return cookieIn(cookie, isSecure ? askedNames.secure : askedNames.plain)
}

/**
 * The value of `set-cookie` that makes a browser keep the ID token of its session, so that the gateway need not; an empty one lets
 * it forget. `address` is where browsers find the gateway.
 */
export function idTokenCookie(
  { idToken, seconds }: { readonly idToken: string; readonly seconds: number },
  address: string,
  isSecure: boolean,
): string {
  const name = isSecure ? idTokenNames.secure : idTokenNames.plain
  const path = (URL.parse(address)?.pathname ?? '').replace(/\/$/, '') + idTokenPath
  const value = idToken.length > idTokenMax ? '' : idToken
  const age = value === '' ? 0 : seconds
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`
}

/** What a browser has kept of it; undefined where it has none. */
export function idTokenOf(
  { headers: { cookie } }: Pick<Asked, 'headers'>,
  isSecure: boolean,
): string | undefined {
  if (cookie === undefined) return undefined
  return cookieIn(cookie, isSecure ? idTokenNames.secure : idTokenNames.plain) || undefined
}

/** Whether the browser has come by https, as far as the settings and known proxies say. */
export function isSecure(
  { headers, raw }: Pick<Asked, 'headers' | 'raw'>,
  { publicUrl, trustedProxies }: Place,
): boolean {
  if (publicUrl !== undefined) return publicUrl.startsWith('https:')
  const said = headers['x-forwarded-proto']
  return (
    said === 'https' &&
    trustedProxies !== undefined &&
    isListed(trustedProxies, raw.socket.remoteAddress)
  )
}

/**
 * A browser sends its cookies whichever page makes the request: only this gateway's own may make one that changes something.
 *
 * @throws GatewayError `forbidden`
 */
export function assertOwnPage(request: Asked, place: Place): void {
  const { headers, method } = request
  const site = headers['sec-fetch-site']
  const isRead = method === 'GET' || method === 'HEAD'
  // What somebody opens by its address, such as a file to download, is of no page.
  const isOwnSite = site === 'same-origin' || (site === 'none' && isRead)
  if (site !== undefined && !isOwnSite) throw strange()
  if (headers.origin !== undefined && !isOwnOrigin(request, place)) throw strange()
  if (!isRead && headers[consoleHeader] === undefined)
    throw new GatewayError(
      'forbidden',
      `A request with a session that changes something needs the header ${consoleHeader}`,
    )
}

function isOwnOrigin({ headers }: Asked, { publicUrl }: Place): boolean {
  const host = URL.parse(headers.origin ?? '')?.host
  if (host === undefined) return false
  return host === headers.host || (publicUrl !== undefined && host === URL.parse(publicUrl)?.host)
}

function strange(): GatewayError {
  return new GatewayError('forbidden', 'A session is only for pages of this gateway')
}
