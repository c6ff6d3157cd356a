import { GatewayError } from '@sluice/contract'
import type { Credentials, Provider } from './provider.ts'

const scopes = ['https://www.googleapis.com/auth/cloud-platform']

/** The slice of google-auth-library's clients that is used; each keeps its token until shortly before it expires. */
interface TokenClient {
  getAccessToken(): Promise<string | null | undefined | { readonly token?: string | null }>
}

/** A key of our own wins over what Google's tools would use; without a project there is nothing to call. */
function googleSecretFrom(
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const own = variables['GOOGLE_VERTEX_CREDENTIALS'] || variables['GOOGLE_VERTEX_ACCESS_TOKEN']
  if (own) return own
  const project = variables['GOOGLE_VERTEX_PROJECT'] || variables['GOOGLE_CLOUD_PROJECT']
  return project && variables['GOOGLE_APPLICATION_CREDENTIALS'] ? 'application-default' : undefined
}

const clients = new Map<string, Promise<TokenClient>>()

/**
 * An OAuth access token of Google: the secret is one already, is a service account's JSON that is traded for one, or is
 * `application-default` (the file or the machine that Google's own tools would use). Throws `upstream_refused_us`, and
 * `upstream_unavailable` where Google could not be asked.
 */
export const googleAccess: Credentials = async (secret) => {
  if (secret !== 'application-default' && !secret.trimStart().startsWith('{'))
    return { authorization: `Bearer ${secret}` }
  return { authorization: `Bearer ${await accessToken(secret)}` }
}

/** Where Vertex AI is and what opens it, for every protocol that is spoken there. */
export const googleVertexAccess = {
  baseUrl: 'https://aiplatform.googleapis.com',
  // Every region has a host of its own; `global` has the one without a prefix.
  baseUrlFrom: ({ region = 'global' }) =>
    region === 'global'
      ? 'https://aiplatform.googleapis.com'
      : `https://${region}-aiplatform.googleapis.com`,
  ambient: true,
  environment: ['GOOGLE_VERTEX_CREDENTIALS', 'GOOGLE_VERTEX_ACCESS_TOKEN'],
  secretFrom: googleSecretFrom,
  keyForms:
    'A key is the JSON of a service account, an access token, or `application-default`: the file or the machine that the tools of Google would use. It is on, too, with `GOOGLE_APPLICATION_CREDENTIALS` and a project.',
  settingsFrom: {
    project: ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'],
    region: ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'],
  },
  credentials: googleAccess,
} as const satisfies Partial<Provider>

async function accessToken(secret: string): Promise<string> {
  try {
    const answer = await (await clientOf(secret)).getAccessToken()
    const token = typeof answer === 'object' ? answer?.token : answer
    if (token) return token
  } catch (cause) {
    const code = isPassing(cause) ? 'upstream_unavailable' : 'upstream_refused_us'
    throw new GatewayError(code, 'Google gave no access token', { cause })
  }
  throw new GatewayError('upstream_refused_us', 'Google gave no access token')
}

/** Whether Google could not be asked or had a fault of its own, which says nothing of the credential. */
function isPassing(cause: unknown): boolean {
  // So the library's errors of requests can be told: they hold what was asked.
  if (!(cause instanceof Error) || !('config' in cause)) return false
  const status = 'status' in cause ? cause.status : undefined
  return typeof status !== 'number' || status === 429 || status >= 500
}

function clientOf(secret: string): Promise<TokenClient> {
  const known = clients.get(secret) ?? createClient(secret)
  clients.set(secret, known)
  return known
}

/** The library is large, so it is loaded only where Vertex is used. */
async function createClient(secret: string): Promise<TokenClient> {
  const { GoogleAuth, JWT } = await import('google-auth-library')
  if (secret === 'application-default') return new GoogleAuth({ scopes })
  const account = JSON.parse(secret) as { readonly [field: string]: unknown }
  const { client_email: email, private_key: key } = account
  if (typeof email !== 'string' || typeof key !== 'string')
    throw new TypeError('The secret is JSON, but not of a service account')
  return new JWT({ email, key, scopes })
}
