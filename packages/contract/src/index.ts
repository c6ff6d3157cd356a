export { Type } from 'typebox'
export {
  type ErrorCode,
  errorCodes,
  GatewayError,
  invalidRequest,
  isOutOfStack,
} from './core/errors.ts'
export { FairQueue } from './core/fair-queue.ts'
export {
  costOf,
  formatUsd,
  joinMoney,
  microUsdOf,
  type Money,
  moneyOfMicroUsd,
  moneyOfNanoUsd,
  nanoPerMicro,
  nanoUsdOf,
  splitMoney,
  usdOf,
} from './core/money.ts'
export type { Store, VideoJob } from './core/ports.ts'
export {
  type CallOutcome,
  noUsage,
  serverToolCounts,
  type Usage,
  type UsageRecord,
} from './core/usage.ts'
export {
  AnswerMessage,
  ChatChunk,
  ChatDelta,
  ChatReply,
  type ChoiceLogprobs,
  type FinishReason,
  finishReasons,
  type TokenLogprob,
  type ToolCallDelta,
} from './operations/chat.ts'
export {
  ContentPart,
  Message,
  messageRoles,
  type ResponseFormat,
  type ServerTool,
  ServerToolCall,
  ThinkingBlock,
  Tool,
  ToolCall,
  type ToolChoice,
} from './operations/chat-message.ts'
export { ChatRequest, reasoningEfforts } from './operations/chat-request.ts'
export { isTextMessage } from './operations/chat-check.ts'
export {
  type CompleteChunk,
  type CompleteReply,
  CompleteRequest,
  CompletionLogprobs,
} from './operations/complete.ts'
export { type CreateImageRequest, imageOptions } from './operations/create-image.ts'
export type { CreateVideoRequest } from './operations/create-video.ts'
export { defaultModels } from './operations/default-models.ts'
export type { EditImageRequest } from './operations/edit-image.ts'
export type { EmbedReply, EmbedRequest } from './operations/embed.ts'
export {
  dashscopeImageBytesMax,
  type ImagesReply,
  imageBytesMax,
} from './operations/image-reply.ts'
export {
  type EventOf,
  type OperationName,
  operationNames,
  operations,
  type ReplyOf,
  type RequestOf,
  type ResultOf,
} from './operations/index.ts'
export {
  type ModerateReply,
  type ModerationCategory,
  moderationCategories,
} from './operations/moderate.ts'
export type { Operation, Step } from './operations/operation.ts'
export type { RerankReply, RerankRequest } from './operations/rerank.ts'
export {
  AnyObject,
  oneOf,
  optional,
  StopSequences,
  type TypedEvent,
  type UploadedFile,
} from './operations/schema.ts'
export type { SpeakRequest } from './operations/speak.ts'
export { type Cue, formatSrt, formatVtt } from './operations/subtitles.ts'
export type { TranscribeReply, TranscribeRequest } from './operations/transcribe.ts'
export type { TranslateRequest } from './operations/translate.ts'
export { type UnlistedField, unlistedFields } from './operations/unlisted-fields.ts'
export {
  type ChatUsage,
  cacheCreation,
  chatUsage,
  readServerToolUse,
  serverToolUse,
} from './operations/usage-shape.ts'
export { assertDepth, assertSpelling, isTooDeep, matches, validate } from './operations/validate.ts'
export type { Video } from './operations/video.ts'
export { createAwsEventSplitter } from './wire/aws-event-stream.ts'
export {
  type DataUrl,
  formatDataUrl,
  parseDataUrl,
  registeredDataUrl,
  registeredType,
  typeByContent,
} from './wire/data-url.ts'
export { bytesOfUnits, formatJson, isRawNumber, parseJson, parsePieces } from './wire/json.ts'
export {
  createJsonArraySplitter,
  createJsonArrayWriter,
  keepAliveSpace,
} from './wire/json-array.ts'
export { outlinedBytesMin, outlineJson } from './wire/json-outline.ts'
export { JsonSurvey, type LongText } from './wire/json-survey.ts'
export { formatForm } from './wire/multipart.ts'
export {
  countOf,
  type Fields,
  hasOnly,
  isObject,
  listOf,
  objectOf,
  someText,
  textOf,
} from './wire/reading.ts'
export {
  changeWithin,
  type Parsed,
  removeFields,
  spliceFields,
  spliceInPlace,
  spliceItems,
} from './wire/splice-json.ts'
export {
  createEventSplitter,
  type EventBlock,
  type EventSplitter,
  formatEvent,
  keepAliveComment,
  type ServerSentEvent,
} from './wire/sse.ts'
export { soundSeconds } from './wire/sound-length.ts'
export { wavHeader } from './wire/wav.ts'
