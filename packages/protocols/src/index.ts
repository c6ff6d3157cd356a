export { anthropic } from './anthropic/index.ts'
export { claudeFacts } from './anthropic/client/model-capabilities.ts'
export { bedrock } from './bedrock/index.ts'
export { argumentsText } from './call-arguments.ts'
export { carry, restore } from './carried-reasoning.ts'
export { createChatChunks } from './chat-chunks.ts'
export { answerMessage } from './chat-reply.ts'
export { fileCitation, noRange, urlCitation } from './citations.ts'
export { cohere } from './cohere/index.ts'
export { completeByChat } from './complete-by-chat.ts'
export { dashscope } from './dashscope/index.ts'
export {
  applyDecisions,
  asksFor,
  type Decisions,
  reportUnsupported,
  reportUnsupportedProviderTools,
  reportUnlisted,
} from './decisions.ts'
export { deepgram } from './deepgram/index.ts'
export { elevenlabs } from './elevenlabs/index.ts'
export { coherePurposes } from './embed-purpose.ts'
export { embeddingReply, inputTexts } from './embedding-reply.ts'
export { canonicalTextBytes } from './event-text.ts'
export type { FormatHeaders } from './format-headers.ts'
export { type FormatMessages, parsedFields, type PlainMessage } from './format-messages.ts'
export { formats } from './formats.ts'
export { geminiVersions } from './gemini/client/paths.ts'
export { gemini, vertex } from './gemini/index.ts'
export { jina, voyage } from './jina/index.ts'
export { azureDeployments } from './openai/azure.ts'
export { ownFormats } from './openai/client/formats.ts'
export { openai, openaiLike } from './openai/index.ts'
export { mistralFim } from './openai/upstream/complete.ts'
export {
  developerAsSystem,
  effortAs,
  budgetInReasoning,
  maxTokensOnly,
  toldSchema,
  mistralOrder,
  mistralToolIds,
  noStreamOptions,
  readableArguments,
  renameField,
  requiredAsAny,
  systemFirst,
  thinkingAsPart,
} from './openai/upstream/quirks.ts'
export {
  excludedDomains,
  searchDomainFilter,
  searchPlugin,
} from './openai/upstream/search-quirks.ts'
export {
  inputItems,
  referredResponses,
  responseNotFound,
  sinceCompaction,
  withHistory,
  withReferences,
} from './openai-responses/client/history.ts'
export type { ResponsesRequest } from './openai-responses/client/schema.ts'
export type { ModelCard } from './protocol.ts'
export { openaiResponses } from './openai-responses/index.ts'
export { madeByResponse, namedInResponsesRequest } from './openai-responses/upstream/named.ts'
export type { ClientFormat, FormatContext, FormatName, StreamWriter } from './client-format.ts'
export type {
  Codec,
  CodecContext,
  Decoded,
  Inspected,
  NamedId,
  Native,
  Protocol,
  Quirk,
  Received,
  StreamReader,
  StreamWatcher,
  UpstreamBody,
  UpstreamFailure,
  UpstreamRequest,
} from './protocol.ts'
export { protocols } from './protocols.ts'
export { renderTranscript } from './rendered-transcript.ts'
export { documentTexts, rerankReply } from './rerank.ts'
export { allowedTools } from './tools/allowed-tools.ts'
export { imageTokensMax } from './families/image-tokens.ts'
export type { Measured, MediaKind, ProviderTools } from './measure.ts'
export { plainMeasure, unbilledFields } from './measure.ts'
export type { Change, NativeTarget } from './native-target.ts'
export { outputLimitIn, outputMaximumIn, type OutputMaximum, withinOutput } from './output-limit.ts'
export { fitTools, type ToolChanges } from './tools/fit-tools.ts'
export { createCallRestorer, restoredReply } from './tools/restore-calls.ts'
export { usualNames } from './tools/tool-names.ts'
export {
  usualChat,
  usualEmbed,
  usualImages,
  usualRerank,
  usualTranscribe,
} from './usual-decisions.ts'
export { vertexAnthropic } from './vertex-anthropic/index.ts'
export { CallArguments } from './whole-calls.ts'
