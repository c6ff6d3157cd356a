import type { OperationName, Usage } from '@sluice/contract'
import type { FormatName } from '@sluice/protocols/client-format.ts'
import type {
  NamedId,
  Received,
  StreamReader,
  StreamWatcher,
  UpstreamRequest,
} from '@sluice/protocols/protocol.ts'
import type { AttemptAnswer } from './attempt.ts'
import type { Framing } from './splitters.ts'

/** The result of reading a whole response. */
export interface Reading {
  readonly answer: AttemptAnswer
  /** Ids of objects the response has created in the upstream's account. */
  readonly made?: readonly string[]
  readonly usage: Usage | undefined
}

/** How a stream is read. */
export interface StreamReading {
  readonly framing: Framing
  readonly watcher: StreamWatcher
  /** Whether to drop usage events that only the gateway asked for. */
  readonly hidesUsage: boolean
  /** Absent if the upstream's events are passed to the caller unchanged. */
  readonly reader?: StreamReader<OperationName>
}

/** A request ready to be signed and sent, and how to read its response. */
export interface Prepared {
  readonly request: UpstreamRequest
  /** The objects stored upstream that the request references. */
  readonly named: readonly NamedId[]
  /** The client format to whose address the request goes, if the upstream may lack that and has another form for the request. */
  readonly addressOf?: FormatName
  /** Whether the caller's bytes are passed on unchanged. */
  readonly isNative: boolean
  /** Whether a response that is not JSON is media, if the operation has any, and passed through unchanged. */
  readonly takesMedia: boolean
  /** Reads a whole response. Throws `upstream_garbled`. */
  read(received: Received): Reading
  /** Set if the caller wants a stream. */
  readonly stream?: StreamReading
  /** The limit of the output in the request; undefined if it has none. */
  readonly outputLimit: () => number | undefined
  /** Whether a streaming request may be answered by a whole response, which is then converted to a stream. */
  readonly streamsWhole: boolean
}
