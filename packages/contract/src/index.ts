export { Type } from 'typebox'
export * from './core/errors.ts'
export { FairQueue } from './core/fair-queue.ts'
export * from './core/money.ts'
export type { Store, VideoJob } from './core/ports.ts'
export * from './core/usage.ts'
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
export * from './operations/chat-message.ts'
export * from './operations/chat-request.ts'
export { isTextMessage } from './operations/chat-check.ts'
export {
  type CompleteChunk,
  type CompleteReply,
  CompleteRequest,
  CompletionLogprobs,
} from './operations/complete.ts'
export { type CreateImageRequest, imageOptions } from './operations/create-image.ts'
export type { CreateVideoRequest } from './operations/create-video.ts'
export * from './operations/default-models.ts'
export * from './operations/default-parameters.ts'
export type { EditImageRequest } from './operations/edit-image.ts'
export type { EmbedReply, EmbedRequest } from './operations/embed.ts'
export * from './operations/image-reply.ts'
export * from './operations/index.ts'
export {
  type ModerateReply,
  type ModerationCategory,
  moderationCategories,
} from './operations/moderate.ts'
export type { Operation, Step } from './operations/operation.ts'
export type { RerankReply, RerankRequest } from './operations/rerank.ts'
export * from './operations/schema.ts'
export type { SpeakRequest } from './operations/speak.ts'
export * from './operations/subtitles.ts'
export type { TranscribeReply, TranscribeRequest } from './operations/transcribe.ts'
export type { TranslateRequest } from './operations/translate.ts'
export * from './operations/unlisted-fields.ts'
export * from './operations/usage-shape.ts'
export * from './operations/validate.ts'
export type { Video } from './operations/video.ts'
export * from './wire/aws-event-stream.ts'
export * from './wire/data-url.ts'
export {
  bytesOfUnits,
  formatJson,
  isRawNumber,
  parsedJson,
  parseJson,
  parsePieces,
} from './wire/json.ts'
export * from './wire/json-array.ts'
export { outlinedBytesMin, outlineJson } from './wire/json-outline.ts'
export * from './wire/json-survey.ts'
export * from './wire/multipart.ts'
export type { PlainForm, PlainMember, PlainMembers } from './wire/plain-events.ts'
export * from './wire/reading.ts'
export * from './wire/splice-json.ts'
export * from './wire/sse.ts'
export * from './wire/sound-length.ts'
export * from './wire/wav.ts'
