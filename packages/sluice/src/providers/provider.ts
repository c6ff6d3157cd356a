import type { OperationName } from '@sluice/contract'
import type { ModelCard, Protocol, Quirk } from '@sluice/protocols'

/** What a user configured of a provider beyond its key: region, project, resource, apiVersion … */
export type ProviderSettings = Readonly<Record<string, string>>

/** A request as it is about to leave, for credentials that sign it. */
export interface OutgoingRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/**
 * The headers that carry or prove a secret. Most are one header; SigV4 signs the request and OAuth asks for a token,
 * so the answer may be a promise.
 */
export type Credentials = (
  secret: string,
  request: OutgoingRequest,
  settings: ProviderSettings,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>

/** An upstream we know: data, in a file of a few lines. */
export interface Provider {
  readonly id: string
  /** For people. */
  readonly name: string
  readonly protocol: Protocol
  /** The protocol of single models that speak another one; undefined for all others. */
  readonly protocolOf?: (model: string) => Protocol | undefined
  /** Without a trailing slash; `{region}` and the like are filled from the settings. */
  readonly baseUrl: string
  /** For addresses that no template says; wins over `baseUrl` unless undefined. */
  readonly baseUrlFrom?: (settings: ProviderSettings) => string | undefined
  /** Environment variables that may hold the key, first set wins. Empty for local servers, which need none. */
  readonly environment: readonly string[]
  /**
   * Variables that may hold another base URL, first set wins, besides the one that belongs to the key: beside
   * ACME_API_KEY that is ACME_BASE_URL, as the makers' own clients have it.
   */
  readonly baseUrlVariables?: readonly string[]
  /** For keys that are made of several variables; wins over `environment`. Undefined when they are not all set. */
  readonly secretFrom?: (
    variables: Readonly<Record<string, string | undefined>>,
  ) => string | undefined
  /** What a key may be where it is more than a text to send, and where else it is looked for: sentences for its page. */
  readonly keyForms?: string
  /** Settings read from the environment: setting → variables, first set wins. */
  readonly settingsFrom?: Readonly<Record<string, readonly string[]>>
  /** Settings that apply where nothing is configured. */
  readonly settings?: ProviderSettings
  readonly credentials: Credentials
  /** Sent with every request, such as `anthropic-version`. */
  readonly headers?: Readonly<Record<string, string>>
  /** What it offers of its protocol; absent means all. */
  readonly operations?: readonly OperationName[]
  readonly quirks?: readonly Quirk[]
  /** Models known in advance, with their token limits; the upstream's own list adds to them. */
  readonly models?: readonly ModelCard[]
  /** Where the provider's documentation of this API is. */
  readonly documentation: string
  /**
   * True where the variables that hold the key are there for other programs as well (GITHUB_TOKEN, AWS keys). Found
   * there, the provider is on, but the built-in engine keeps answering to well-known names.
   */
  readonly ambient?: boolean
  /** True for servers on the user's own machine: on only when configured or discovered, need no key. */
  readonly local?: boolean
}

/** `authorization: Bearer …`, as most have it. */
export const bearer: Credentials = (secret) => ({ authorization: `Bearer ${secret}` })

/** The secret alone in a header of its own. */
export function header(name: string): Credentials {
  return (secret) => ({ [name]: secret })
}

/** No credential: servers on the user's own machine, unless a key is configured. */
export const optionalBearer: Credentials = (secret) =>
  secret === '' ? {} : { authorization: `Bearer ${secret}` }
