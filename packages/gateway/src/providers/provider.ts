import type { OperationName } from '@sluice/contract'
import type { ModelCard, Protocol, Quirk } from '@sluice/protocols'
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
