import { GatewayError, objectOf } from '@sluice/contract'
import type { Credentials, Provider } from './provider.ts'

const scopes = ['https://www.googleapis.com/auth/cloud-platform']

/** The part of google-auth-library's clients that is used. Each caches its token until shortly before it expires. */
interface TokenClient {
  getAccessToken(): Promise<string | null | undefined | { readonly token?: string | null }>
}

/** The gateway's own variables take precedence over those of Google's tools. Without a project there is nothing to call. */
function googleSecretFrom(
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const own = variables['GOOGLE_VERTEX_CREDENTIALS'] || variables['GOOGLE_VERTEX_ACCESS_TOKEN']
  if (own) return own
  const project = variables['GOOGLE_VERTEX_PROJECT'] || variables['GOOGLE_CLOUD_PROJECT']
  return project && variables['GOOGLE_APPLICATION_CREDENTIALS'] ? 'application-default' : undefined
}

/** By secret, for each way to connect. */
const clients = new WeakMap<typeof globalThis.fetch, Map<string, Promise<TokenClient>>>()

/**
 * Adds a Google OAuth access token. The secret is an access token, the JSON of a service account, or `application-default`
 * (the credentials that Google's own tools would use). Throws `upstream_refused_us`, or `upstream_unavailable` if Google could
 * not be reached.
 */
export const googleAccess: Credentials = async (secret, _request, _settings, fetch) => {
  if (secret !== 'application-default' && !secret.trimStart().startsWith('{'))
    return { authorization: `Bearer ${secret}` }
  return { authorization: `Bearer ${await accessToken(secret, fetch)}` }
}

/** Address and credentials of Vertex AI, for all protocols used there. */
export const googleVertexAccess = {
  baseUrl: 'https://aiplatform.googleapis.com',
  // Every region has its own host; `global` has the one without a prefix.
  baseUrlFrom: ({ region = 'global' }) =>
    region === 'global'
      ? 'https://aiplatform.googleapis.com'
      : `https://${region}-aiplatform.googleapis.com`,
  ambient: true,
  environment: ['GOOGLE_VERTEX_CREDENTIALS', 'GOOGLE_VERTEX_ACCESS_TOKEN'],
  secretFrom: googleSecretFrom,
  keyForms:
    'A key is the JSON of a service account, an access token, or `application-default`: the file or machine identity that Google’s tools would use. The provider is also enabled with `GOOGLE_APPLICATION_CREDENTIALS` and a project.',
  settingsFrom: {
    project: ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'],
    region: ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'],
  },
  credentials: googleAccess,
} as const satisfies Partial<Provider>

async function accessToken(secret: string, fetch: typeof globalThis.fetch): Promise<string> {
  try {
    const answer = await (await clientOf(secret, fetch)).getAccessToken()
    const token = typeof answer === 'object' ? answer?.token : answer
    if (token) return token
  } catch (cause) {
    const code = isPassing(cause) ? 'upstream_unavailable' : 'upstream_refused_us'
    throw new GatewayError(code, 'Google gave no access token', { cause })
  }
  throw new GatewayError('upstream_refused_us', 'Google gave no access token')
}

/** Whether Google could not be reached or failed itself, which says nothing about the credential. */
function isPassing(cause: unknown): boolean {
  // Request errors of the library have `config`, which holds the request.
  if (!(cause instanceof Error) || !('config' in cause)) return false
  const status = 'status' in cause ? cause.status : undefined
  return typeof status !== 'number' || status === 429 || status >= 500
}

function clientOf(secret: string, fetch: typeof globalThis.fetch): Promise<TokenClient> {
  const bySecret = clients.get(fetch) ?? new Map<string, Promise<TokenClient>>()
  clients.set(fetch, bySecret)
  const client = bySecret.get(secret) ?? createClient(secret, fetch)
  bySecret.set(secret, client)
  return client
}

/** The library is large, so it is loaded only if Vertex is used. */
async function createClient(secret: string, fetch: typeof globalThis.fetch): Promise<TokenClient> {
  const transporterOptions = { fetchImplementation: fetch }
  const { GoogleAuth, JWT } = await import('google-auth-library')
  if (secret === 'application-default')
    return new GoogleAuth({ scopes, clientOptions: { transporterOptions } })
  const { client_email: email, private_key: key } = objectOf(JSON.parse(secret))
  if (typeof email !== 'string' || typeof key !== 'string')
    throw new TypeError('The secret is JSON, but not of a service account')
  return new JWT({ email, key, scopes, transporterOptions })
}
