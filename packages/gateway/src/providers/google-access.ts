import { type Fields, GatewayError, isObject, listOf, objectOf, textOf } from '@sluice/contract'
import type { AuthClient } from 'google-auth-library'
import type { Credentials, Provider } from './provider.ts'

const scopes = ['https://www.googleapis.com/auth/cloud-platform']

/** The part of google-auth-library's clients that is used. Each caches its token until shortly before it expires. */
interface TokenClient {
  getAccessToken(): Promise<string | null | undefined | { readonly token?: string | null }>
}

const applicationDefault = 'application-default'

/** The gateway's own variables take precedence over those of Google's tools. Without a project there is nothing to call. */
function googleSecretFrom(
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const own = variables['GOOGLE_VERTEX_CREDENTIALS'] || variables['GOOGLE_VERTEX_ACCESS_TOKEN']
  if (own) return own
  const project = variables['GOOGLE_VERTEX_PROJECT'] || variables['GOOGLE_CLOUD_PROJECT']
  return project && variables['GOOGLE_APPLICATION_CREDENTIALS'] ? applicationDefault : undefined
}

/** By secret, for each way to connect. */
const clients = new WeakMap<typeof globalThis.fetch, Map<string, Promise<TokenClient>>>()

/**
 * Adds a Google OAuth access token. The secret is an access token, the JSON of a credential file, or `application-default`
 * (the credentials that Google's own tools would use). A file of an external account names addresses and files that are read,
 * and possibly a program; the library runs one only with GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1. Throws
 * `upstream_refused_us`, or `upstream_unavailable` if Google could not be reached.
 */
export const googleAccess: Credentials = async (secret, _request, { project }, fetch) => {
  if (secret !== applicationDefault && !secret.trimStart().startsWith('{'))
    return { authorization: `Bearer ${secret}` }
  return { authorization: `Bearer ${await accessToken({ secret, project, fetch })}` }
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
  isOfMachine: isIdentityOfMachine,
  keyForms:
    'A key is an access token, the JSON of a credential file (of a service account, a workload or workforce identity, `external_account`, a user, or an impersonated service account), or `application-default`: the file or machine identity that Google’s tools would use. Several keys or providers may have several identities. The provider is also enabled with `GOOGLE_APPLICATION_CREDENTIALS` and a project. The file of an external account says which addresses are asked and which files are read, so give only files that you trust; a program in it is run only if `GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES` is `1`.',
  settingsFrom: {
    project: ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'],
    region: ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'],
  },
  credentials: googleAccess,
} as const satisfies Partial<Provider>

async function accessToken(identity: Identity): Promise<string> {
  try {
    const answer = await (await clientOf(identity)).getAccessToken()
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

/** An identity: whose tokens are asked for, how, and for which project. */
interface Identity {
  readonly secret: string
  /** Of the provider's settings. Without it, the library asks Cloud Resource Manager for that of an external account. */
  readonly project: string | undefined
  readonly fetch: typeof globalThis.fetch
}

function clientOf(identity: Identity): Promise<TokenClient> {
  const { secret, project = '', fetch } = identity
  const ofFetch = clients.get(fetch) ?? new Map<string, Promise<TokenClient>>()
  clients.set(fetch, ofFetch)
  const name = `${project}\n${secret}`
  const known = ofFetch.get(name)
  if (known !== undefined) return known
  const client = createClient(identity)
  ofFetch.set(name, client)
  // The next call tries again: a file may have been written meanwhile.
  client.catch(() => ofFetch.delete(name))
  return client
}

/** The library is large, so it is loaded only if Vertex is used. */
async function createClient({ secret, project, fetch }: Identity): Promise<TokenClient> {
  const library = await import('google-auth-library')
  const making: Making = { library, transporterOptions: { fetchImplementation: fetch } }
  if (secret !== applicationDefault) return clientOfFile(making, objectOf(JSON.parse(secret)))
  const ofProject = project === undefined ? {} : { projectId: project }
  const { transporterOptions } = making
  const auth = new library.GoogleAuth({
    scopes,
    clientOptions: { transporterOptions },
    ...ofProject,
  })
  return overOwnConnections(await auth.getClient())
}

interface Making {
  readonly library: typeof import('google-auth-library')
  readonly transporterOptions: { readonly fetchImplementation: typeof globalThis.fetch }
}

/** An external account reads a file, an address of the machine's network or a program, which its JSON names at any depth. */
function isIdentityOfMachine(secret: string): boolean {
  if (secret.trim() === applicationDefault) return true
  try {
    // Written anew, because letters may be escaped.
    return JSON.stringify(JSON.parse(secret)).includes('"credential_source"')
  } catch {
    return false
  }
}

/** The client of a credential file. Throws for a kind of file that is not known, and for one that lacks something. */
function clientOfFile(making: Making, file: Fields): AuthClient {
  const { library, transporterOptions } = making
  // The library checks the files of its own kinds.
  const options = { ...file, scopes, transporterOptions } as never
  switch (file['type']) {
    case 'external_account':
      return overOwnConnections(new (externalClient(library, file))(options))
    case 'external_account_authorized_user':
      return new library.ExternalAccountAuthorizedUserClient(options)
    case 'authorized_user': {
      const client = new library.UserRefreshClient({ transporterOptions })
      client.fromJSON(file)
      return client
    }
    case 'impersonated_service_account':
      return impersonated(making, file)
    default: {
      const { client_email: email, private_key: key } = file
      if (typeof email !== 'string' || typeof key !== 'string')
        throw new TypeError('The secret is JSON, but of no kind of credential file that is known')
      return new library.JWT({ email, key, scopes, transporterOptions })
    }
  }
}

/** By where a workload has its own token from: AWS, a program that the environment must allow, or a file or an address. */
function externalClient(library: Making['library'], { credential_source: source }: Fields) {
  const { environment_id: aws, executable } = objectOf(source)
  if (aws !== undefined) return library.AwsClient
  return executable === undefined ? library.IdentityPoolClient : library.PluggableAuthClient
}

function impersonated(making: Making, file: Fields): AuthClient {
  const { service_account_impersonation_url: url, delegates, source_credentials: source } = file
  const [, endpoint, targetPrincipal] =
    /^(https?:\/\/[^/]+)\/.*\/([^/]+):generateAccessToken$/.exec(textOf(url)) ?? []
  if (endpoint === undefined || targetPrincipal === undefined)
    throw new TypeError('The secret names no service account to be impersonated')
  return new making.library.Impersonated({
    sourceClient: clientOfFile(making, objectOf(source)),
    endpoint,
    targetPrincipal,
    targetScopes: scopes,
    delegates: listOf(delegates).map(textOf),
    transporterOptions: making.transporterOptions,
  })
}

/** The library exchanges tokens of external accounts over connections of its own, which know no proxy of the provider. */
function overOwnConnections(client: AuthClient): AuthClient {
  const { stsCredential } = objectOf(client)
  if (isObject(stsCredential)) Object.assign(stsCredential, { transporter: client.transporter })
  return client
}
