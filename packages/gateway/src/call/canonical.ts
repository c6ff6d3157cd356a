import type { EventOf, OperationName, ReplyOf, RequestOf, Step } from '@sluice/contract'

/** The canonical form of any operation: OpenAI's public JSON. */
export type AnyRequest = RequestOf<OperationName>
export type AnyReply = ReplyOf<OperationName>
export type AnyStep = Step<EventOf<OperationName>>
