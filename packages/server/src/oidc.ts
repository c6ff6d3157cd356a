import { GatewayError, invalidRequest, isObject } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { assertAddress } from '@sluice/gateway/accounts/allowed.ts'
import type { PendingSignIn } from './sign-in/oidc-client.ts'
import { principalOf, signedIn, signedOut } from './sign-in/sign-in.ts'
import { SignInRefused } from './sign-in/sign-in-refused.ts'
import type { OidcSettings } from '@sluice/gateway/settings/schema-console.ts'
import type { Principal } from '@sluice/gateway/ports/session.ts'
import type { Address, Exchange } from './address.ts'
import { clientAddress } from './authenticate.ts'
import { readBody } from './body.ts'
import { isSecure } from './public-address.ts'
import { one } from './query.ts'
import {
  askedCookie,
  askedOf,
  assertOwnPage,
  idTokenCookie,
  sessionCookie,
  sessionTokenOf,
} from './session-cookie.ts'

const path = '/admin/v1/session/oidc'
const backPath = `${path}/callback`

/**
 * Endpoints for OpenID Connect sign-in. Browsers are redirected to them and the issuer calls them; they are not part of the
 * API.
 */
export const oidcAddresses: readonly Address[] = [
  {
    method: 'GET',
    path,
    access: 'open',
    description: 'none',
    serve: (exchange) => led(exchange, begin),
  },
  {
    method: 'GET',
    path: backPath,
    access: 'open',
    description: 'none',
    serve: (exchange) => led(exchange, finish),
  },
  {
    method: 'POST',
    path: `${path}/backchannel-logout`,
    access: 'open',
    description: 'none',
    serve: logOut,
  },
]

/** The issuer reports that a user has signed out there (OpenID Connect Back-Channel Logout 1.0, 2.5). */
async function logOut(exchange: Exchange): Promise<void> {
  const { gateway, reply } = exchange
  assertSetUp(exchange)
  void reply.header('cache-control', 'no-store')
  const raw = await readBody(exchange, logoutBytesMax)
  const token = new URLSearchParams(raw.toString('utf8')).get('logout_token')
  if (token === null)
    throw invalidRequest("'logout_token' is missing from the form in the body", 'logout_token')
  const ended = await gateway.sessions.closeOf(await gateway.oidc.loggedOut(token))
  const place = { store: gateway.store, at: gateway.now() }
  const hasFixedOwner = gateway.keys.hasFixedOwner()
  for (const id of ended) await administer({ ...place, hasFixedOwner, actor: id }, signedOut(id))
  void reply.send({ ended: ended.length })
}

/** A logout token holds only a session and its subject, so it is small. */
const logoutBytesMax = 65_536

function assertSetUp({ gateway }: Exchange): OidcSettings {
  const { oidc } = gateway.settings.config().console
  if (!oidc) throw new GatewayError('not_found', 'Signing in by OpenID Connect is not set up')
  return oidc
}

type Step = (exchange: Exchange, settings: OidcSettings) => Promise<string>

/** Runs a step and redirects the browser. After an error the target is a console page that shows the problem. */
async function led(exchange: Exchange, step: Step): Promise<void> {
  const { gateway, reply, request, id } = exchange
  const oidc = assertSetUp(exchange)
  void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
  const to = await step(exchange, oidc).catch((thrown: unknown) => {
    const refused = refusedOf(thrown)
    const { problem, message } = refused
    const line = { id, problem, reason: message }
    if (problem === 'failed') gateway.log.error({ ...line, error: String(thrown) }, failed)
    else gateway.log.warn(line, failed)
    return consolePage(request.url, `/?${String(new URLSearchParams({ problem, request: id }))}`)
  })
  void reply.redirect(to, 303)
}

const failed = 'a sign-in by OpenID Connect failed'

function refusedOf(thrown: unknown): SignInRefused {
  if (thrown instanceof SignInRefused) return thrown
  if (thrown instanceof GatewayError) {
    if (thrown.code === 'rate_limited') return new SignInRefused('too_many', thrown.message)
    if (thrown.code === 'forbidden') return new SignInRefused('disabled', thrown.message)
    // Not a browser: answered with an ordinary error.
    if (thrown.code === 'invalid_request') throw thrown
  }
  return new SignInRefused('failed', 'Something went wrong')
}

/** A relative path, because the gateway may be served below a path prefix: one step up for each segment of its own path. */
function consolePage(url: string, place: string): string {
  const isBack = url.startsWith(backPath)
  return `${isBack ? '../../../../' : '../../../'}#${place}`
}

/** Console pages are addressed behind `#`, so a redirect never leaves the console. */
const pagePattern = /^\/(?!\/)[\w/.~-]{0,200}$/

async function begin(exchange: Exchange, settings: OidcSettings): Promise<string> {
  const { gateway, options, request, reply } = exchange
  assertOwnWish(exchange)
  const returnTo = one(request.query, 'returnTo') ?? '/'
  if (!pagePattern.test(returnTo))
    throw invalidRequest("'returnTo' must be a page of the console, such as /usage", 'returnTo')
  const { url, asked } = await gateway.oidc.begin(redirectUrl(exchange, settings))
  const kept = Buffer.from(JSON.stringify({ ...asked, returnTo })).toString('base64url')
  void reply.header('set-cookie', askedCookie(kept, isSecure(request, options)))
  return url
}

async function finish(exchange: Exchange, settings: OidcSettings): Promise<string> {
  const { gateway, options, request, reply } = exchange
  const secure = isSecure(request, options)
  void reply.header('set-cookie', askedCookie('', secure))
  const address = clientAddress(request, options.trustedProxies) ?? ''
  await gateway.signInAttempts.count(address, gateway.now())
  const kept = keptOf(askedOf(request, secure))
  if (!kept) throw new SignInRefused('state', 'This browser has not asked the issuer')
  const at = request.url.indexOf('?')
  const url = new URL(redirectUrl(exchange, settings) + (at < 0 ? '' : request.url.slice(at)))
  const { claims, idToken } = await gateway.oidc.finish(url, kept)
  const place = {
    store: gateway.store,
    at: gateway.now(),
    hasFixedOwner: gateway.keys.hasFixedOwner(),
    reload: () => gateway.keys.reload(),
  }
  const principal = await principalOf(claims, settings, place)
  const { token, expiresAt } = await opened(exchange, principal)
  await administer({ ...place, actor: principal.id }, signedIn(principal, 'oidc'))
  gateway.signInAttempts.succeeded(address)
  // A session from before the sign-in must not continue.
  const before = sessionTokenOf(request, options)
  if (before !== undefined) await gateway.sessions.close(before)
  const seconds = Math.round((expiresAt - gateway.now()) / 1000)
  void reply.header('set-cookie', sessionCookie(token, secure, seconds))
  const hint = { idToken: settings.endSession === false ? '' : idToken, seconds }
  void reply.header('set-cookie', idTokenCookie(hint, request.publicAddress, secure))
  return consolePage(request.url, kept.returnTo)
}

/** A sign-in must not be started by another site. */
function assertOwnWish({ request, options }: Exchange): void {
  try {
    assertOwnPage(request, options)
  } catch (cause) {
    throw new SignInRefused('state', 'Another page has led the browser here', { cause })
  }
}

/** Opens a session if the user is valid and its client address is allowed. */
async function opened(
  { gateway, options, request }: Exchange,
  principal: Omit<Principal, 'expiresAt'>,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const session = await gateway.sessions.open({ principal })
  const found = await gateway.sessions.find(session.token)
  try {
    if (!found)
      throw new SignInRefused('disabled', 'The user, its team or organization is not valid')
    assertAddress(found.caller, clientAddress(request, options.trustedProxies))
    return session
  } catch (thrown) {
    await gateway.sessions.close(session.token)
    throw thrown
  }
}

function redirectUrl({ request }: Exchange, { redirectUrl: set }: OidcSettings): string {
  return set ?? `${request.publicAddress}${backPath}`
}

interface SignInCookie extends PendingSignIn {
  readonly returnTo: string
}

/** The cookie comes from the browser and must be validated. */
function keptOf(value: string | undefined): SignInCookie | undefined {
  if (value === undefined || value === '') return undefined
  try {
    const kept: unknown = JSON.parse(Buffer.from(value, 'base64url').toString('utf8'))
    if (!isObject(kept)) return undefined
    const { state, nonce, verifier, returnTo } = kept
    if (![state, nonce, verifier, returnTo].every((one) => typeof one === 'string'))
      return undefined
    return pagePattern.test(String(returnTo))
      ? {
          state: String(state),
          nonce: String(nonce),
          verifier: String(verifier),
          returnTo: String(returnTo),
        }
      : undefined
  } catch {
    return undefined
  }
}
