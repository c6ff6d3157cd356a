import type { Static, TSchema } from 'typebox'
import type { Usage } from '../core/usage.ts'

/** One inference operation in its public form: its address, how its body arrives, its JSON shapes. */
export interface Operation<
  Request extends TSchema = TSchema,
  Reply extends TSchema = TSchema,
  Event extends TSchema = TSchema,
> {
  /** Shown in the reference and in the OpenAPI document. */
  readonly summary: string
  readonly tag: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Every address it answers at; `{name}` is a path parameter. The first is the usual one. */
  readonly paths: readonly string[]
  readonly body: 'none' | 'json' | 'multipart' | 'json-or-multipart'
  /** The canonical request, path parameters and form fields having become properties. Unknown ones are accepted. */
  readonly request: Request
  readonly reply: Reply
  /** One streamed event; Type.Never() when the operation cannot stream. */
  readonly event: Event
  /** Asking uses nothing that is paid for. */
  readonly isFree?: boolean
  /** The media type of the answer where it is not JSON. */
  readonly replyType?: string
  /** A request that works, for the reference. */
  readonly example?: Static<Request>
  /** What a schema cannot say; throws GatewayError with the field's path. */
  readonly check?: (request: Static<Request>) => void
}

export function operation<Q extends TSchema, R extends TSchema, E extends TSchema>(
  described: Operation<Q, R, E>,
): Operation<Q, R, E> {
  return described
}

/** What a stream says as it goes by: something for the caller, or what has been used so far (the last one counts). */
export type Step<Event> = { readonly event: Event } | { readonly usage: Usage }

/**
 * What an operation came to, in the canonical form.
 * `events` ends regularly only after a complete answer; it throws when the answer was cut.
 */
export type Result<Reply, Event> =
  | { readonly kind: 'reply'; readonly reply: Reply; readonly usage: Usage }
  | { readonly kind: 'events'; readonly events: AsyncIterable<Step<Event>> }
  | {
      readonly kind: 'bytes'
      readonly contentType: string
      readonly body: AsyncIterable<Uint8Array>
      /** Length in bytes, where it is known. */
      readonly length?: number
      readonly usage: Usage
    }
