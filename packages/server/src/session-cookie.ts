import type { FastifyRequest } from 'fastify'
import { GatewayError } from '@sluice/contract'
import { isSecure, type Place } from './public-address.ts'

/** Browsers restrict this prefix: no other host can set such a cookie, and it is sent to this host only (RFC 6265bis, 4.1.3). */
const secureName = '__Host-sluice-session'
const plainName = 'sluice-session'

/** Used between the redirect to the issuer and its response. */
const askedNames = { secure: '__Host-sluice-sign-in', plain: 'sluice-sign-in' }
/** Time limit for signing in at the issuer, in seconds. */
const askedSeconds = 600

/** The ID token from the issuer. Its cookie is limited to the session path, which the prefix `__Host-` does not allow. */
const idTokenNames = { secure: '__Secure-sluice-id-token', plain: 'sluice-id-token' }
const idTokenPath = '/admin/v1/session'
/** Browsers accept cookies up to 4,096 bytes including the name (RFC 6265bis, 5.6). Longer tokens are not stored. */
const idTokenMax = 3_900

/** Pages of other origins cannot send this header along with cookies: the preflight of a request with credentials fails. */
const consoleHeader = 'x-sluice-console'

type CookieRequest = Pick<FastifyRequest, 'headers' | 'raw' | 'method'>

/**
 * The session token sent by a browser; undefined if there is none. Over https only the cookie with the prefix counts: a
 * sibling host could set the other one to sign a user in to its own account.
 */
export function sessionTokenOf(request: CookieRequest, place: Place): string | undefined {
  const { cookie } = request.headers
  if (cookie === undefined) return undefined
  return cookieIn(cookie, isSecure(request, place) ? secureName : plainName)
}

function cookieIn(cookie: string, name: string): string | undefined {
  const pairs = cookie.split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** The `set-cookie` value that stores the session token; an empty token deletes the cookie. */
export function sessionCookie(token: string, isSecure: boolean, seconds: number): string {
  const name = isSecure ? secureName : plainName
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}

/**
 * The `set-cookie` value that stores the state of a sign-in; an empty value deletes it. The issuer redirects back from another
 * site, to which a strict cookie is not sent, so this one is lax and used only for that redirect.
 */
export function askedCookie(value: string, isSecure: boolean): string {
  const name = isSecure ? askedNames.secure : askedNames.plain
  const seconds = value === '' ? 0 : askedSeconds
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

/** The stored state of a sign-in; undefined if there is no recent one. */
export function askedOf(
  { headers: { cookie } }: Pick<CookieRequest, 'headers'>,
  isSecure: boolean,
): string | undefined {
  if (cookie === undefined) return undefined
  return cookieIn(cookie, isSecure ? askedNames.secure : askedNames.plain)
}

/**
 * The `set-cookie` value that stores the ID token of a session in the browser, so that the gateway need not; an empty token
 * deletes it. `address` is the gateway's public address.
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

/** The stored ID token; undefined if there is none. */
export function idTokenOf(
  { headers: { cookie } }: Pick<CookieRequest, 'headers'>,
  isSecure: boolean,
): string | undefined {
  if (cookie === undefined) return undefined
  return cookieIn(cookie, isSecure ? idTokenNames.secure : idTokenNames.plain) || undefined
}

/**
 * Browsers send cookies with requests of any page. Only this gateway's own pages may make requests that change something.
 *
 * @throws GatewayError `forbidden`
 */
export function assertOwnPage(request: CookieRequest, place: Place): void {
  const { headers, method } = request
  const site = headers['sec-fetch-site']
  const isRead = method === 'GET' || method === 'HEAD'
  // A URL opened directly, such as a download, has no initiating page.
  const isOwnSite = site === 'same-origin' || (site === 'none' && isRead)
  if (site !== undefined && !isOwnSite) throw strange()
  if (headers.origin !== undefined && !isOwnOrigin(request, place)) throw strange()
  if (!isRead && headers[consoleHeader] === undefined)
    throw new GatewayError(
      'forbidden',
      `A request with a session that changes something needs the header ${consoleHeader}`,
    )
}

function isOwnOrigin({ headers }: CookieRequest, { publicUrl }: Place): boolean {
  const host = URL.parse(headers.origin ?? '')?.host
  if (host === undefined) return false
  return host === headers.host || (publicUrl !== undefined && host === URL.parse(publicUrl)?.host)
}

function strange(): GatewayError {
  return new GatewayError('forbidden', 'A session is only for pages of this gateway')
}
