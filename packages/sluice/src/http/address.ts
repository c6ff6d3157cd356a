import type { BlockList } from 'node:net'
import type { GatewayError, OperationName } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Cancellation } from '../gateway/attempt/cancellation.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { HeldBytes } from '../gateway/held-bytes.ts'
import type { Admission } from '../gateway/limits/admission.ts'
import type { KeyLimits } from '../gateway/limits/claims.ts'
import type { AdminRole, Caller } from '../ports/api-key.ts'
import type { EntranceBounds } from '../ports/entrance.ts'
import type { BudgetLimits } from './body-budget.ts'
import type { StreamTimes } from './deliver.ts'
import type { Written } from './openapi-written.ts'

export interface ServerOptions {
  readonly bodyBytesMax: number
  /** For a body that came compressed, after decompression. */
  readonly inflatedBytesMax: number
  /** What a JSON body may cost to parse, in units of JsonSurvey. */
  readonly bodyUnitsMax: number
  /** For a request to arrive whole, in milliseconds. */
  readonly requestTimeoutMs: number
  /** Of keys that have none of their own. */
  readonly keyLimits: () => KeyLimits
  /** Whose `x-forwarded-for` is believed. */
  readonly trustedProxies?: BlockList
  /** How many requests may be under way; undefined where any number may. */
  readonly entranceBounds: () => EntranceBounds | undefined
  /** For all that requests hold at the same time. */
  readonly heldBytes: () => BudgetLimits
  /** Where callers reach the gateway, for links; absent means the address a request came to. */
  readonly publicUrl?: string
  /** How long streams may be quiet; default `defaultStreamTimes`. */
  readonly streamTimes?: StreamTimes
}

/** Says an error in a format; the contract's own four-key body unless an address has another. */
export type ErrorBody = (error: GatewayError, requestId: string) => unknown

export interface Address {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{parameters}`. */
  readonly path: string
  readonly access: 'open' | 'caller' | 'administrator'
  /** Of administrators; absent means all who may look at everything: owners, operators and viewers. */
  readonly roles?: readonly AdminRole[]
  /** What its caller has to be allowed. */
  readonly operation?: OperationName
  /** Polling a task and listing models are not counted against the key's rate. */
  readonly uncounted?: boolean
  /** Its calls are let in when their body was read, where a limit asks how large they are. */
  readonly isSized?: boolean
  readonly error?: ErrorBody
  /** What its callers speak, where models are called at it. */
  readonly format?: ClientFormat
  /** What the OpenAPI document says of it: what stands here, or the schemas of a format. `none` leaves it out. */
  readonly description: Written | { readonly format: ClientFormat } | 'none'
  readonly serve: (exchange: Exchange) => Promise<unknown>
}

/** One request at one address. */
export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly gateway: Gateway
  readonly options: ServerOptions
  /** The request id. */
  readonly id: string
  readonly key: Caller
  readonly parameters: Readonly<Record<string, string>>
  /** Cancelled when the caller leaves. */
  readonly cancellation: Cancellation
  /** What the request holds; given back when it is over. */
  readonly held: HeldBytes
  readonly admission: Admission
}
