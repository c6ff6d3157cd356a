import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '@sluice/contract'
import type { Configuration, CustomFetch } from 'openid-client'
import type { OidcSettings } from '@sluice/gateway/settings/schema-console.ts'
import { type Claims, claimAt, decidingClaims } from './oidc-grant.ts'
import { createLogoutReader, type LoggedOut } from './oidc-logout.ts'
import type { Fetch } from '@sluice/gateway/accounts/token-keys.ts'
import { type SignInProblem, SignInRefused } from './sign-in-refused.ts'

/**
 * The state a browser keeps between the authorization request and the redirect back. Only the browser that began the sign-in
 * has it.
 */
export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The OIDC client for console sign-in: authorization code flow with PKCE (OpenID Connect Core 1.0, 3.1; RFC 7636). */
export interface OidcClient {
  /** Returns the authorization URL and the state the browser must bring back. Throws SignInRefused. */
  begin(redirectUrl: string): Promise<{ readonly url: string; readonly asked: PendingSignIn }>
  /** Returns the verified claims for the redirect to `url`. Throws SignInRefused. */
  finish(url: URL, asked: PendingSignIn): Promise<SignedInUser>
  /** Verifies a back-channel logout token. Throws GatewayError. */
  loggedOut(token: string): Promise<LoggedOut>
  /**
   * The issuer's end-session URL (OpenID Connect RP-Initiated Logout 1.0, 2), with the ID token of the session if known;
   * undefined if the issuer has none or does not answer.
   */
  endSessionUrl(returnUrl: string, idToken: string | undefined): Promise<string | undefined>
}

export interface SignedInUser {
  readonly claims: Claims
  /** The signed ID token, which the issuer expects again at logout. */
  readonly idToken: string
}

/** Timeout of a request to the issuer, in seconds. */
const waitSeconds = 5
const toleranceSeconds = 30
/** How long the issuer's metadata is cached, in milliseconds; its keys are fetched again when one is missing. */
const keptMs = 3_600_000
/** After a failure the issuer is not asked again for this long, in milliseconds. */
const failedMs = 2_000

interface OidcOptions {
  /** The current configuration. */
  readonly settings: () => OidcSettings | undefined
  readonly fetch: Fetch
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The issuer is first contacted when somebody signs in; its metadata is cached. */
export function createOidcClient({ settings, fetch, now }: OidcOptions): OidcClient {
  const discovered = discovery(now, fetch)
  const readLogout = createLogoutReader(fetch)

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
      if (keysUrl === undefined)
        throw new GatewayError('overloaded', 'The issuer publishes no keys')
      const { issuer, clientId } = set
      return readLogout(token, { issuer, clientId, keysUrl, at: now() })
    },
    async endSessionUrl(returnUrl, idToken) {
      const { scopes: _scopes, endSession = true, ...set } = current()
      if (!endSession) return undefined
      // The session here has already ended, whatever happens at the issuer.
      const configuration = await discovered(set).catch(() => undefined)
      if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined
      const client = await import('openid-client')
      const hint = idToken === undefined ? {} : { id_token_hint: idToken }
      const parameters = { post_logout_redirect_uri: returnUrl, ...hint }
      return client.buildEndSessionUrl(configuration, parameters).href
    },
  }
}

/** The caller is a server, which must retry; there is no page to show an error on. */
async function discoveredOrAway(
  discovered: ReturnType<typeof discovery>,
  issuer: Issuer,
): Promise<Configuration> {
  try {
    return await discovered(issuer)
  } catch (cause) {
    throw new GatewayError('overloaded', 'The issuer’s keys cannot be fetched at the moment', {
      retryAfterMs: 5_000,
      cause,
    })
  }
}

interface Answered {
  readonly url: URL
  readonly asked: PendingSignIn
  readonly settings: OidcSettings
}

async function saidOf(
  configuration: Configuration,
  { url, asked: { state, nonce, verifier }, settings }: Answered,
): Promise<SignedInUser> {
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
  const userInfo = await client.fetchUserInfo(configuration, tokens.access_token, subject)
  // Signed claims take precedence.
  return { claims: { ...userInfo, ...claims }, idToken }
}

type Issuer = Omit<OidcSettings, 'scopes'>

interface Known {
  readonly of: Pick<Issuer, 'issuer' | 'clientId' | 'clientSecret' | 'clientAuthentication'>
  readonly configuration: Promise<Configuration>
  /** Milliseconds since the epoch. */
  until: number
}

/** Fetches the issuer's metadata, once for all concurrent requests. */
function discovery(now: () => number, fetch: Fetch): (issuer: Issuer) => Promise<Configuration> {
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
      const asked: Known = { of, configuration: configurationOf(of, fetch), until: now() + keptMs }
      known = asked
      asked.configuration.then(
        () => (good = asked),
        () => (asked.until = now() + failedMs),
      )
    }
    try {
      return await known.configuration
    } catch (thrown) {
      // Falls back to the last metadata that was fetched.
      if (good && isDeepStrictEqual(good.of, of)) return good.configuration
      throw refusedBy(thrown)
    }
  }
}

async function configurationOf(
  { issuer, clientId, clientSecret, clientAuthentication }: Known['of'],
  fetch: Fetch,
): Promise<Configuration> {
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
      [client.customFetch]: fetch as CustomFetch,
      // Also verifies the signature, although the token came directly from the issuer.
      execute: [
        client.enableNonRepudiationChecks,
        ...(isPlain ? [client.allowInsecureRequests] : []),
      ],
    },
  )
}

/** Error codes of the library. */
const problems: Readonly<Record<string, SignInProblem>> = {
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'clock',
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: 'client',
  OAUTH_TIMEOUT: 'unavailable',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'unavailable',
  OAUTH_RESPONSE_IS_NOT_JSON: 'unavailable',
  OAUTH_PARSE_ERROR: 'unavailable',
}

/** Error codes of the issuer (RFC 6749, 4.1.2.1 and 5.2). */
const saidProblems: Readonly<Record<string, SignInProblem>> = {
  access_denied: 'denied',
  invalid_grant: 'expired',
  server_error: 'unavailable',
  temporarily_unavailable: 'unavailable',
}

/** Drops the cause, which may contain tokens and claims from the issuer. */
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
  // Failed connections have no error code of the library.
  if (thrown instanceof TypeError && code === undefined)
    return new SignInRefused('unavailable', 'The issuer cannot be reached')
  const named = typeof code === 'string' ? code : 'an unknown error'
  return new SignInRefused(
    problems[named] ?? 'token',
    `${String(message).slice(0, 200)} (${named})`,
  )
}
