import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import Provider from 'oidc-provider'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'

type Claims = Readonly<Record<string, unknown>>

/** A real OpenID Connect provider on a loopback port. Everyone in `people` can sign in with their login and any password. */
export interface OidcIssuer extends AsyncDisposable {
  readonly url: string
  /** The gateway's settings for this issuer. */
  readonly settings: NonNullable<NonNullable<ConfigFile['console']>['oidc']>
  /** The claims of each person, by login. */
  readonly people: Map<string, Claims>
  /** Requested paths, in order. */
  readonly asked: string[]
  /** Faults to simulate; a test that sets one must also use a new issuer. */
  readonly trouble: {
    /** Claims to replace in the ID token, which is still signed correctly. */
    claims?: Claims
    /** Sign ID tokens with a key that is not the issuer's. */
    isForged?: boolean
    /** Cut the connections. */
    isDown?: boolean
    /** Paths that respond with status 500. */
    broken?: string
  }
  /** Allows browsers to be sent back to these gateways. */
  register(...gateways: readonly string[]): void
  /** A token with these claims, signed like the issuer's own. */
  sign(claims: Claims): Promise<string>
}

export interface IssuerOptions {
  /** Default 127.0.0.1; to a browser, `localhost` is a different site. */
  readonly host?: string
  /** Whether the first registered gateway is notified when somebody signs out here. Default false. */
  readonly tellsLogouts?: boolean
  /** Send groups and email addresses only from the userinfo endpoint and not in tokens. Default false. */
  readonly isThin?: boolean
}

export const clientSecret = 'a-secret-of-the-client-0123456789'
const keyId = 'one'
const { privateKey } = await generateKeyPair('RS256', { extractable: true })
const { privateKey: strange } = await generateKeyPair('RS256')
const jwk = { ...(await exportJWK(privateKey)), kid: keyId, alg: 'RS256', use: 'sig' }

export async function oidcIssuer({
  host = '127.0.0.1',
  isThin = false,
  tellsLogouts = false,
}: IssuerOptions = {}): Promise<OidcIssuer> {
  const people = new Map<string, Claims>()
  const asked: string[] = []
  const trouble: OidcIssuer['trouble'] = {}
  let answering: ((...args: Parameters<ReturnType<Provider['callback']>>) => unknown) | undefined
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    asked.push(path)
    if (trouble.isDown) return request.socket.destroy()
    if (path === trouble.broken) return response.writeHead(500).end('{}')
    if (answering) void answering(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  const settings = { issuer: url, clientId: 'sluice', clientSecret }

  return {
    url,
    settings,
    people,
    asked,
    trouble,
    register(...gateways) {
      const logoutUrl = tellsLogouts
        ? `${gateways[0]}/admin/v1/session/oidc/backchannel-logout`
        : undefined
      const providing = { url, gateways, people, trouble, isThin, logoutUrl }
      answering = providerOf(providing).callback()
    },
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: keyId }).sign(privateKey),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Providing extends Pick<OidcIssuer, 'url' | 'people' | 'trouble'> {
  readonly gateways: readonly string[]
  readonly isThin: boolean
  /** The address that is notified of sign-outs; undefined if there is none. */
  readonly logoutUrl: string | undefined
}

/**
 * Suppresses the provider's warnings about settings that are right for a test: it stores nothing permanently, and asks for no
 * real password.
 */
function quietly(...given: ConstructorParameters<typeof Provider>): Provider {
  const { warn } = console
  console.warn = () => {}
  try {
    return new Provider(...given)
  } finally {
    console.warn = warn
  }
}

function providerOf({ url, gateways, people, trouble, isThin, logoutUrl }: Providing): Provider {
  const provider = quietly(url, {
    clients: [
      {
        client_id: 'sluice',
        client_secret: clientSecret,
        redirect_uris: gateways.map((one) => `${one}/admin/v1/session/oidc/callback`),
        post_logout_redirect_uris: gateways.map((one) => `${one}/`),
        ...(logoutUrl !== undefined && {
          backchannel_logout_uri: logoutUrl,
          backchannel_logout_session_required: true,
        }),
      },
    ],
    jwks: { keys: [jwk] },
    // Without the provider's dispatcher, which does not connect to loopback addresses.
    fetch: (to, { dispatcher: _dispatcher, ...options } = {}) => fetch(to, options),
    features: { backchannelLogout: { enabled: logoutUrl !== undefined } },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ['of a test'] },
    conformIdTokenClaims: isThin,
    pkce: { required: () => true },
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
      email: ['email', 'email_verified', 'groups', 'realm_access', 'hd', '_claim_names'],
    },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people.get(id) }),
    }),
    // Grants access without asking for the person's consent.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session?.accountId ?? '',
        clientId: oidc.client?.clientId ?? '',
      })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  })
  provider.use(async (context, next) => {
    await next()
    const { body } = context as { readonly body: unknown }
    if (context.path !== '/token' || !(trouble.claims || trouble.isForged)) return
    const answer = body as { id_token?: string }
    const [, payload = ''] = answer.id_token?.split('.') ?? []
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
    answer.id_token = await new SignJWT({ ...claims, ...trouble.claims })
      .setProtectedHeader({ alg: 'RS256', kid: keyId })
      .sign(trouble.isForged ? strange : privateKey)
  })
  return provider
}
