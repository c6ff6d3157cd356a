import type { Static, TSchema } from 'typebox'
import type { Usage } from '../core/usage.ts'

/** One inference operation in its public form: its address, the form of its body, its JSON schemas. */
export interface Operation<
  Request extends TSchema = TSchema,
  Reply extends TSchema = TSchema,
  Event extends TSchema = TSchema,
> {
  /** Shown in the reference and in the OpenAPI document. */
  readonly summary: string
  readonly tag: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** All addresses of the operation; `{name}` is a path parameter. The first is the usual one. */
  readonly paths: readonly string[]
  readonly body: 'none' | 'json' | 'multipart' | 'json-or-multipart'
  /** The canonical request; path parameters and form fields are properties. Unknown properties are accepted. */
  readonly request: Request
  readonly reply: Reply
  /** One streamed event; Type.Never() if the operation cannot be streamed. */
  readonly event: Event
  /** Whether a call costs nothing. */
  readonly isFree?: boolean
  /** The media type of the response if it is not JSON. */
  readonly replyType?: string
  /** A working request, for the reference. */
  readonly example?: Static<Request>
  /** Checks what a schema cannot express. Throws GatewayError with the field's path. */
  readonly check?: (request: Static<Request>) => void
}

export function operation<Q extends TSchema, R extends TSchema, E extends TSchema>(
  described: Operation<Q, R, E>,
): Operation<Q, R, E> {
  return described
}

/** One step of a stream: an event for the caller, or the usage so far (the last one counts). */
export type Step<Event> = { readonly event: Event } | { readonly usage: Usage }

/**
 * The result of an operation in the canonical form. `events` ends regularly only after a complete response; it throws if the
 * response was cut.
 */
export type Result<Reply, Event> =
  | { readonly kind: 'reply'; readonly reply: Reply; readonly usage: Usage }
  | { readonly kind: 'events'; readonly events: AsyncIterable<Step<Event>> }
  | {
      readonly kind: 'bytes'
      readonly contentType: string
      readonly body: AsyncIterable<Uint8Array>
      /** Length in bytes, if known. */
      readonly length?: number
      readonly usage: Usage
    }
