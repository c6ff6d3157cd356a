import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '@sluice/contract'
import type { Configuration } from 'openid-client'
import type { OidcSettings } from '../config/schema-console.ts'
import { type Claims, claimAt, decidingClaims } from './oidc-grant.ts'
import { createLogoutReader, type LoggedOut } from './oidc-logout.ts'
import { type SignInProblem, SignInRefused } from './sign-in-refused.ts'

/** What a browser keeps from the question to the answer. Whoever has not asked has none of it. */
export interface Asked {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The issuer that people sign in at: authorization code flow with PKCE (OpenID Connect Core 1.0, 3.1; RFC 7636). */
export interface OidcClient {
  /** Where the browser is sent to, and what it has to bring back. Throws SignInRefused. */
  begin(redirectUrl: string): Promise<{ readonly url: string; readonly asked: Asked }>
  /** What the issuer says of whoever came back to `url`, all of it checked. Throws SignInRefused. */
  finish(url: URL, asked: Asked): Promise<Said>
  /** Who has signed out there, as its server says to ours. Throws GatewayError. */
  loggedOut(token: string): Promise<LoggedOut>
  /**
   * Where signing out goes on (OpenID Connect RP-Initiated Logout 1.0, 2), with the ID token of the session where it is known;
   * undefined where the issuer has no such page, or does not answer.
   */
  endSessionUrl(returnUrl: string, idToken: string | undefined): Promise<string | undefined>
}

export interface Said {
  readonly claims: Claims
  /** As the issuer signed it. It wants to see it again when somebody signs out. */
  readonly idToken: string
}

/** How long the issuer may take for one answer, in seconds. */
const waitSeconds = 5
const toleranceSeconds = 30
/** For so long the settings of the issuer are taken as they were; its keys are read again when one is missing. */
const keptMs = 3_600_000
/** An issuer that did not answer is not asked again by everybody who waits. */
const failedMs = 2_000

/** Nothing is read of the issuer before somebody signs in, and what was read is kept. */
export function createOidcClient({
  settings,
  now,
}: {
  /** As they are configured now. */
  readonly settings: () => OidcSettings | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}): OidcClient {
  const discovered = discovery(now)
  const readLogout = createLogoutReader()

  function current(): OidcSettings {
    const found = settings()
    if (!found) throw new SignInRefused('failed', 'Nothing is set of an issuer')
    return found
  }

  return {
    async begin(redirectUrl) {
      const client = await import('openid-client')
      const { scopes = ['openid', 'profile', 'email'], ...set } = current()
      const configuration = await discovered(set)
      const asked = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl,
        scope: scopes.join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(asked.verifier),
        code_challenge_method: 'S256',
        state: asked.state,
        nonce: asked.nonce,
      })
      return { url: url.href, asked }
    },
    async finish(url, asked) {
      const { scopes: _scopes, ...set } = current()
      if (url.searchParams.get('state') !== asked.state)
        throw new SignInRefused('state', 'The state is not that of this browser')
      const configuration = await discovered(set)
      try {
        return await saidOf(configuration, { url, asked, settings: set })
      } catch (thrown) {
        throw refusedBy(thrown)
      }
    },
    async loggedOut(token) {
      const { scopes: _scopes, ...set } = current()
      const { jwks_uri: keysUrl } = (await discoveredOrAway(discovered, set)).serverMetadata()
      if (keysUrl === undefined) throw new GatewayError('overloaded', 'The issuer names no keys')
      const { issuer, clientId } = set
      return readLogout(token, { issuer, clientId, keysUrl, at: now() })
    },
    async endSessionUrl(returnUrl, idToken) {
      const { scopes: _scopes, endSession = true, ...set } = current()
      if (!endSession) return undefined
      // The session here has ended, whatever becomes of that at the issuer.
      const configuration = await discovered(set).catch(() => undefined)
      if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined
      const client = await import('openid-client')
      const hint = idToken === undefined ? {} : { id_token_hint: idToken }
      const parameters = { post_logout_redirect_uri: returnUrl, ...hint }
      return client.buildEndSessionUrl(configuration, parameters).href
    },
  }
}

/** To a server that asks there is no page that would say what is wrong: it has to ask again. */
async function discoveredOrAway(
  discovered: ReturnType<typeof discovery>,
  issuer: Issuer,
): Promise<Configuration> {
  try {
    return await discovered(issuer)
  } catch (cause) {
    throw new GatewayError('overloaded', 'The issuer cannot be asked for its keys for now', {
      retryAfterMs: 5_000,
      cause,
    })
  }
}

interface Answered {
  readonly url: URL
  readonly asked: Asked
  readonly settings: OidcSettings
}

async function saidOf(
  configuration: Configuration,
  { url, asked: { state, nonce, verifier }, settings }: Answered,
): Promise<Said> {
  const client = await import('openid-client')
  const tokens = await client.authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  })
  const claims: Claims = { ...tokens.claims() }
  const idToken = tokens.id_token ?? ''
  const isWhole = decidingClaims(settings).every((name) => claimAt(claims, name) !== undefined)
  const { userinfo_endpoint: further } = configuration.serverMetadata()
  if (isWhole || further === undefined) return { claims, idToken }
  const subject = String(claims['sub'])
  const said = await client.fetchUserInfo(configuration, tokens.access_token, subject)
  // What is signed wins.
  return { claims: { ...said, ...claims }, idToken }
}

type Issuer = Omit<OidcSettings, 'scopes'>

interface Known {
  readonly of: Pick<Issuer, 'issuer' | 'clientId' | 'clientSecret' | 'clientAuthentication'>
  readonly configuration: Promise<Configuration>
  /** Milliseconds since the epoch. */
  until: number
}

/** The settings of the issuer, which are read once for all who ask at the same time. */
function discovery(now: () => number): (issuer: Issuer) => Promise<Configuration> {
  let known: Known | undefined
  let good: Known | undefined

  return async ({ issuer, clientId, clientSecret, clientAuthentication }) => {
    const of = {
      issuer,
      clientId,
      ...(clientSecret !== undefined && { clientSecret }),
      ...(clientAuthentication && { clientAuthentication }),
    }
    if (!known || known.until <= now() || !isDeepStrictEqual(known.of, of)) {
      const asked: Known = { of, configuration: configurationOf(of), until: now() + keptMs }
      known = asked
      asked.configuration.then(
        () => (good = asked),
        () => (asked.until = now() + failedMs),
      )
    }
    try {
      return await known.configuration
    } catch (thrown) {
      // What was read last is better than nothing.
      if (good && isDeepStrictEqual(good.of, of)) return good.configuration
      throw refusedBy(thrown)
    }
  }
}

async function configurationOf({
  issuer,
  clientId,
  clientSecret,
  clientAuthentication,
}: Known['of']): Promise<Configuration> {
  const client = await import('openid-client')
  const isPlain = issuer.startsWith('http:')
  return client.discovery(
    new URL(issuer),
    clientId,
    { [client.clockTolerance]: toleranceSeconds },
    clientSecret === undefined
      ? client.None()
      : (server, ...rest) => {
          const { token_endpoint_auth_methods_supported: listed = ['client_secret_basic'] } = server
          const method =
            clientAuthentication ?? (listed.includes('client_secret_basic') ? 'basic' : 'post')
          const authenticate =
            method === 'basic'
              ? client.ClientSecretBasic(clientSecret)
              : client.ClientSecretPost(clientSecret)
          return authenticate(server, ...rest)
        },
    {
      timeout: waitSeconds,
      // The signature is checked, too, though the token has come from the issuer itself.
      execute: [
        client.enableNonRepudiationChecks,
        ...(isPlain ? [client.allowInsecureRequests] : []),
      ],
    },
  )
}

/** What the library calls its failures. */
const problems: Readonly<Record<string, SignInProblem>> = {
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'clock',
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: 'client',
  OAUTH_TIMEOUT: 'unavailable',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'unavailable',
  OAUTH_RESPONSE_IS_NOT_JSON: 'unavailable',
  OAUTH_PARSE_ERROR: 'unavailable',
}

/** What the issuer calls its own (RFC 6749, 4.1.2.1 and 5.2). */
const saidProblems: Readonly<Record<string, SignInProblem>> = {
  access_denied: 'denied',
  invalid_grant: 'expired',
  server_error: 'unavailable',
  temporarily_unavailable: 'unavailable',
}

/** Without the cause: it holds what came from the issuer, tokens and claims among it. */
function refusedBy(thrown: unknown): SignInRefused {
  if (thrown instanceof SignInRefused) return thrown
  const { code, error, message } = thrown as {
    readonly code?: unknown
    readonly error?: unknown
    readonly message?: unknown
  }
  if (typeof error === 'string')
    return new SignInRefused(
      saidProblems[error] ?? 'client',
      `The issuer says ${/^\w{1,50}$/.test(error) ? error : 'an error'}`,
    )
  // A connection that fails has no code of the library.
  if (thrown instanceof TypeError && code === undefined)
    return new SignInRefused('unavailable', 'The issuer cannot be reached')
  const named = typeof code === 'string' ? code : 'an unknown error'
  return new SignInRefused(
    problems[named] ?? 'token',
    `${String(message).slice(0, 200)} (${named})`,
  )
}
