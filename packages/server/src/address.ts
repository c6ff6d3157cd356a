import type { BlockList } from 'node:net'
import type { OperationName } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols/client-format.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Cancellation } from '@sluice/gateway/call/cancellation.ts'
import type { Gateway } from './gateway.ts'
import type { HeldBytes } from '@sluice/gateway/call/held-bytes.ts'
import type { Admission } from '@sluice/gateway/admit/admission.ts'
import type { AdminRole, Caller } from '@sluice/gateway/ports/api-key.ts'
import type { StreamTimes } from './deliver.ts'
import type { Face } from './face.ts'
import type { EndpointDescription } from './openapi-endpoint.ts'

export interface ServerOptions {
  readonly bodyBytesMax: number
  /** For a compressed body, after decompression. */
  readonly inflatedBytesMax: number
  /** The parsing cost limit of a JSON body, in units of JsonSurvey. */
  readonly bodyUnitsMax: number
  /** Time in which a request must arrive completely, in milliseconds. */
  readonly requestTimeoutMs: number
  /** Proxies whose `x-forwarded-for` is trusted. */
  readonly trustedProxies?: BlockList
  /** The gateway's public URL, for links; absent means the address a request came to. */
  readonly publicUrl?: string
  /** Keep-alive and stall times of streams; default `defaultStreamTimes`. */
  readonly streamTimes?: StreamTimes
  /** Which addresses are served; default all. */
  readonly serves?: (address: Address) => boolean
}

export interface Address {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{parameters}`. */
  readonly path: string
  /** Who may use it: everybody, whoever has a key, or administrators with one of these roles. */
  readonly access: 'open' | 'caller' | readonly AdminRole[]
  /**
   * Whether a caller's endpoint accepts the session of the console in place of a key, because one of its pages uses it. Endpoints
   * for administrators always do.
   */
  readonly isForConsole?: boolean
  /** The operation the caller must be allowed to use. */
  readonly operation?: OperationName
  /** Whether the key's rate limit ignores these requests, such as polling a job or listing models. */
  readonly uncounted?: boolean
  /** Whether requests are admitted after their body was read, if a limit depends on the size of the call. */
  readonly isSized?: boolean
  /** How it answers; `caller`: as the headers of the request suggest. Absent means in the gateway's own face. */
  readonly face?: Face | 'caller'
  /** The client format of an inference endpoint. */
  readonly format?: ClientFormat
  /** Its description in the OpenAPI document: of its endpoint, or taken from the schemas of a format. `none` omits it. */
  readonly description: EndpointDescription | { readonly format: ClientFormat } | 'none'
  readonly serve: (exchange: Exchange) => Promise<unknown>
  /** For a route that several addresses share: the one that serves a path. */
  readonly select?: (path: string) => Selected | undefined
}

export interface Selected {
  readonly address: Address
  /** Of its path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
}

/** One request at an endpoint. */
export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly gateway: Gateway
  readonly options: ServerOptions
  /** The request id. */
  readonly id: string
  readonly key: Caller
  readonly parameters: Readonly<Record<string, string>>
  /** Cancelled when the caller disconnects. */
  readonly cancellation: Cancellation
  /** The bytes the request holds; released when it is over. */
  readonly held: HeldBytes
  readonly admission: Admission
}
