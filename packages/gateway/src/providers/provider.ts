import { formatForm, type OperationName } from '@sluice/contract'
import type {
  ModelCard,
  Protocol,
  Quirk,
  UpstreamBody,
  UpstreamRequest,
} from '@sluice/protocols/protocol.ts'
import type { RoutingField } from './routing-fields.ts'
import type { Retirements } from './retirements.ts'

/** Provider settings besides the key: region, project, resource, apiVersion … */
export type ProviderSettings = Readonly<Record<string, string>>

/** A request about to be sent, for credentials that sign it. */
export interface OutgoingRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/**
 * Returns the headers that carry or prove a secret. Most credentials are one header. SigV4 signs the request and OAuth fetches
 * a token, so the result may be a promise.
 */
export type Credentials = (
  secret: string,
  request: OutgoingRequest,
  settings: ProviderSettings,
  /** Asks the servers that give tokens, over connections made as those to the upstream. The same one for each call. */
  fetch: typeof globalThis.fetch,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>

/** A known upstream provider: data, in a file of a few lines. */
export interface Provider {
  readonly id: string
  /** The display name. */
  readonly name: string
  /** The `type` of providers outside the catalogue that have its protocol and credentials. Default: the id. */
  readonly type?: string
  /** The name in OpenTelemetry's semantic conventions (`gen_ai.provider.name`). Default: the id. */
  readonly telemetryName?: string
  readonly protocol: Protocol
  /** The protocol of models that use a different one; undefined for all others. */
  readonly protocolOf?: (model: string) => Protocol | undefined
  /** What it speaks at other base URLs than its own, where any server may be. Absent: the same. */
  readonly elsewhere?: Pick<Provider, 'protocol' | 'protocolOf'> & {
    /** The base URLs of others that have its API to the letter. */
    readonly except: RegExp
  }
  /** Without a trailing slash; placeholders such as `{region}` are filled from the settings. */
  readonly baseUrl: string
  /** For addresses that a template cannot express; overrides `baseUrl` unless undefined. */
  readonly baseUrlFrom?: (settings: ProviderSettings) => string | undefined
  /** Environment variables that may hold the key; the first one set wins. Empty for local servers, which need none. */
  readonly environment: readonly string[]
  /**
   * Variables that may hold another base URL; the first one set wins. They apply in addition to the variable that belongs to
   * the key: ACME_BASE_URL for ACME_API_KEY, as in the vendors' own clients.
   */
  readonly baseUrlVariables?: readonly string[]
  /** For keys made of several variables; overrides `environment`. Undefined if not all are set. */
  readonly secretFrom?: (
    variables: Readonly<Record<string, string | undefined>>,
  ) => string | undefined
  /**
   * Whether a key stands for an identity of this machine, or for files of it. Such a key is taken from sluice.yaml and the
   * environment only. Default: none does.
   */
  readonly isOfMachine?: (secret: string) => boolean
  /** Sentences for the provider's page: the forms a key may have, and other places it is looked for. */
  readonly keyForms?: string
  /** Settings read from the environment: for each setting its variables; the first one set wins. */
  readonly settingsFrom?: Readonly<Record<string, readonly string[]>>
  /** Default settings. */
  readonly settings?: ProviderSettings
  readonly credentials: Credentials
  /** Sent with every request, such as `anthropic-version`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether a model's name at this provider is one that the account gave, such as that of a deployment. Default: never. */
  readonly namesByAccount?: (model: string) => boolean
  /** The operations it supports; absent means all of its protocol. */
  readonly operations?: readonly OperationName[]
  readonly quirks?: readonly Quirk[]
  /**
   * The fields by which the provider itself chooses a model, a fallback or a price. Absent: not known, so all such fields of
   * any provider count.
   */
  readonly routingFields?: readonly RoutingField[]
  /** Known models with their token limits; the upstream's own list adds to them. */
  readonly models?: readonly ModelCard[]
  /** Models that it has retired or will retire. */
  readonly retirements?: Retirements
  /** URL of the provider's API documentation. */
  readonly documentation: string
  /**
   * True if other programs use the same key variables (GITHUB_TOKEN, AWS keys). If a key is found there, the provider is on,
   * but the built-in engine keeps answering well-known names.
   */
  readonly ambient?: boolean
  /** True for servers on the user's own machine. They are on only if configured or discovered, and need no key. */
  readonly local?: boolean
}

/** `authorization: Bearer …`, used by most providers. */
export const bearer: Credentials = (secret) => ({ authorization: `Bearer ${secret}` })

/** The plain secret in a header of its own. */
export function header(name: string): Credentials {
  return (secret) => ({ [name]: secret })
}

/** For servers on the user's own machine: no credentials unless a key is configured. */
export const optionalBearer: Credentials = (secret) =>
  secret === '' ? {} : { authorization: `Bearer ${secret}` }

/** Where the requests for a configured provider go, and what is sent with each of them. */
export interface ProviderAddress {
  readonly provider: Provider
  /** Without a trailing slash, with settings substituted. */
  readonly baseUrl: string
  /** Whether the base URL is not the provider's own. The provider's other hosts are then not used either. */
  readonly isOtherBase: boolean
  /** The version segment that `baseUrl` ends in, such as `/v1/`. It is removed from paths that begin with it. */
  readonly version?: string
  /** Sent with every request; overrides the provider's own headers. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Builds URL, headers and body. Credentials are added later, because some schemes sign all of these. An address that a
 * response named gets neither them nor the headers in the settings, which may hold others.
 */
export function outgoing(
  request: UpstreamRequest,
  upstream: ProviderAddress,
  newId: (prefix: string) => string,
): OutgoingRequest {
  const { provider, headers } = upstream
  const { contentType, bytes } = bodyOf(request.body, newId)
  return {
    method: request.method,
    url: addressOf(request, upstream),
    headers: {
      'user-agent': 'sluice',
      ...provider.headers,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...request.headers,
      ...(request.elsewhere === undefined && headers),
    },
    body: bytes,
  }
}

function addressOf(
  { elsewhere, origin, path }: UpstreamRequest,
  { baseUrl, version, isOtherBase }: ProviderAddress,
): string {
  if (elsewhere !== undefined) return elsewhere
  if (origin !== undefined && !isOtherBase) return origin + path
  return version !== undefined && path.startsWith(version)
    ? baseUrl + path.slice(version.length - 1)
    : baseUrl + path
}

function bodyOf(
  body: UpstreamBody | undefined,
  newId: (prefix: string) => string,
): { contentType?: string; bytes: Uint8Array | undefined } {
  switch (body?.kind) {
    case undefined:
      return { bytes: undefined }
    case 'json':
      return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body.value)) }
    case 'bytes':
      return { contentType: body.contentType, bytes: body.bytes }
    case 'form': {
      const boundary = newId('form-')
      return {
        contentType: `multipart/form-data; boundary=${boundary}`,
        bytes: formatForm(body.parts, boundary),
      }
    }
  }
}
