import type { BlockList } from 'node:net'
import { GatewayError, objectOf } from '@sluice/contract'
import { geminiVersions } from '@sluice/protocols/gemini/client/paths.ts'
import type { SignedIn } from './sign-in/sessions.ts'
import type { Place } from './public-address.ts'
import { isListed } from '@sluice/gateway/settings/address-block.ts'
import { assertOwnPage, sessionTokenOf } from './session-cookie.ts'
import type { FastifyRequest } from 'fastify'
import type { Gateway } from './gateway.ts'
import type { AdminRole, Caller } from '@sluice/gateway/ports/api-key.ts'

/**
 * Identifies the caller by `x-goog-api-key`, `?key=` at Google's addresses, `x-api-key`, `api-key`, or `Authorization` with or
 * without Bearer; the first one present decides. A token of an OIDC issuer is accepted in place of a key, and a browser session if
 * there is none of these and `takesSession`. Throws `unauthenticated`, or `forbidden` if another site uses the session.
 */
export function authenticate(
  { keys, tokens, sessions }: Pick<Gateway, 'keys' | 'tokens' | 'sessions'>,
  request: FastifyRequest,
  options: Place,
  takesSession: boolean,
): Caller | Promise<Caller> {
  const secret = secretOf(request)
  if (secret === undefined || secret === '') {
    const token = takesSession ? sessionOf(request, options) : undefined
    if (token !== undefined) {
      assertOwnPage(request, options)
      return sessions.find(token).then(signedIn)
    }
    throw new GatewayError(
      'unauthenticated',
      'No API key: send it as Authorization: Bearer <API_KEY>',
      { publicCode: 'missing_api_key' },
    )
  }
  const key =
    keys.find(secret) ??
    tokens.find(secret) ??
    keys.lookUp(secret, clientAddress(request, options.trustedProxies) ?? '')
  return key instanceof Promise ? key.then(known) : known(key)
}

/** The session token that authenticated a request; undefined if a key did. */
export function sessionOf(request: FastifyRequest, options: Place): string | undefined {
  return (secretOf(request) ?? '') === '' ? sessionTokenOf(request, options) : undefined
}

function known(key: Caller | undefined): Caller {
  if (!key) throw new GatewayError('unauthenticated', 'The API key is not valid')
  return key
}

function signedIn(found: SignedIn | undefined): Caller {
  if (!found) throw new GatewayError('unauthenticated', 'The session has ended: sign in again')
  return found.caller
}

/** As nearly every caller writes it; other spellings take a pattern. */
const usualScheme = 'Bearer '

/** Headers that hold nothing but a key: those of Google, Anthropic and Azure. The first one present decides. */
const keyHeaders = ['x-goog-api-key', 'x-api-key', 'api-key'] as const

/** Where Google's clients may send the key in the query. */
const keyedRoots = geminiVersions.map(
  (version) => `${version}/${version === '/v1' ? 'models' : ''}`,
)

function secretOf({ headers, query, url }: FastifyRequest): string | undefined {
  const [google, ...others] = keyHeaders
  const named = headers[google]
  if (typeof named === 'string') return named
  const { key } = objectOf(query)
  if (typeof key === 'string' && keyedRoots.some((root) => url.startsWith(root))) return key
  for (const name of others) {
    const value = headers[name]
    if (typeof value === 'string') return value
  }
  const { authorization } = headers
  if (authorization?.startsWith(usualScheme) === true)
    return authorization.slice(usualScheme.length).trim()
  return authorization?.replace(/^bearer(?:\s+|$)/i, '').trim()
}

/** Throws `forbidden` unless the key is an administrator's with one of these roles. */
export function requireAdministrator(
  { role, adminRole = 'owner' }: Caller,
  roles: readonly AdminRole[],
): void {
  if (role !== 'administrator')
    throw new GatewayError('forbidden', 'This path requires an administrator key')
  if (!roles.includes(adminRole))
    throw new GatewayError(
      'forbidden',
      `This path requires an administrator key with the role ${roles.join(' or ')}`,
    )
}

/** Headers that hold credentials and are never passed on. */
const credentialHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', ...keyHeaders])

export function publicHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string' && !credentialHeaders.has(name)) kept[name] = value
  }
  return kept
}

/** A raw query without the `key` parameter. */
export function publicQuery(query: string): string {
  return query
    .split('&')
    .filter((pair) => !new URLSearchParams(pair).has('key'))
    .join('&')
}

/**
 * The client's address. `x-forwarded-for` is trusted only from known proxies: the result is its last address that is not one
 * of them.
 */
export function clientAddress(
  { raw }: Pick<FastifyRequest, 'raw'>,
  proxies: BlockList | undefined,
): string | undefined {
  const peer = raw.socket.remoteAddress
  const forwarded = raw.headers['x-forwarded-for']
  if (!proxies || forwarded === undefined || !isListed(proxies, peer)) return peer
  const way = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded)
    .split(',')
    .map(withoutPort)
  return way.findLast((hop) => !isListed(proxies, hop)) ?? way[0]
}

/**
 * Removes the port, which some proxies add and which differs per connection.
 * Azure Application Gateway: https://azure.microsoft.com/en-us/blog/rewrite-http-headers-with-azure-application-gateway/
 */
function withoutPort(hop: string): string {
  const plain = hop.trim()
  const [, address = plain] =
    /^\[([^\]]+)\](?::\d+)?$/.exec(plain) ?? /^([\d.]+):\d+$/.exec(plain) ?? []
  return address
}
