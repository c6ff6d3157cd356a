import {
  type ChatReply,
  type OperationName,
  operations,
  type TranscribeReply,
} from '@sluice/contract'
import { openAiHeaders } from '../../format-headers.ts'
import { plainMeasure } from '../../measure.ts'
import type { ClientFormat } from '../../protocol.ts'
import { canonicalChat, chatAnswer, paramOfChat, stopList, writeChat } from './chat.ts'
import { measureChat, measureCompletion, measureEdit } from './measure.ts'
import { respellChat } from './respell.ts'
import { respellEdit } from './respell-edit.ts'
import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  CompletionRequest,
} from './schema.ts'
import { asksForUsage, done, writeChunks, writeTypedEvents } from './stream.ts'
import { transcriptSteps } from './transcript-steps.ts'

/**
 * An operation in the form of OpenAI's clients. Most are the canonical form itself, so nothing is translated; `further` holds
 * what is particular to the operation.
 */
function own(name: OperationName, further: Partial<ClientFormat> = {}): ClientFormat {
  const { summary, tag, paths, request, reply, event, example } = operations[name]
  return {
    id: name,
    operation: name,
    isOwn: true,
    summary,
    tag,
    paths,
    request,
    reply,
    event,
    ...(example !== undefined && { example }),
    measure: () => plainMeasure,
    toCanonical: (given) => given as never,
    fromCanonical: (answer) => answer,
    error: (error) => error.toJSON(),
    headers: openAiHeaders,
    ...further,
  }
}

/** Chat and text completions: chunks, `[DONE]`, and the usage if the caller asked for it. */
const chunked: Partial<ClientFormat> = {
  writer: (request) => writeChunks(request),
  asksForUsage,
  terminal: done,
}

const typed: Partial<ClientFormat> = { writer: writeTypedEvents }

/** What text completions call the fields of a chat. */
const asChat: Readonly<Record<string, string>> = {
  max_completion_tokens: 'max_tokens',
  top_logprobs: 'logprobs',
}

/** The formats of the operations themselves, one for each (OpenAI API reference; rerank: Cohere and Jina). */
export const ownFormats: { readonly [O in OperationName]: ClientFormat } = {
  // The schemas have checked the requests before they come here.
  chat: own('chat', {
    ...chunked,
    takesOutline: true,
    request: ChatCompletionRequest,
    reply: ChatCompletion,
    event: ChatCompletionChunk,
    respell: respellChat,
    measure: measureChat,
    limitOutput: (_request, tokens) => ({ path: ['max_completion_tokens'], value: tokens }),
    toCanonical: (request, context) => canonicalChat(request as ChatCompletionRequest, context),
    fromCanonical: (reply: ChatReply, request) =>
      chatAnswer(reply, request as ChatCompletionRequest),
    writer: (request) => writeChat(request as ChatCompletionRequest),
    paramOf: (canonical, request) => paramOfChat(canonical, request as ChatCompletionRequest),
    prefixOf(request) {
      const { tools, messages } = request as { tools?: unknown; messages: readonly unknown[] }
      return [tools, messages.slice(0, 2)]
    },
  }),
  complete: own('complete', {
    ...chunked,
    request: CompletionRequest,
    measure: measureCompletion,
    limitOutput: (_request, tokens) => ({ path: ['max_tokens'], value: tokens }),
    // vLLM's clients write false for none.
    respell: (body) => (body['logprobs'] === false ? { ...body, logprobs: null } : body),
    toCanonical(request) {
      const { stop, ...rest } = request as CompletionRequest
      return { ...rest, ...(stop == null ? {} : { stop: stopList(stop) }) }
    },
    prefixOf: (request) => (request as { readonly prompt?: unknown }).prompt,
    // A model that only chats gets a chat.
    paramOf: (canonical) =>
      canonical.startsWith('messages') ? 'prompt' : (asChat[canonical] ?? canonical),
  }),
  embed: own('embed'),
  // OpenAI has no such operation.
  rerank: own('rerank', { headers: {} }),
  moderate: own('moderate'),
  transcribe: own('transcribe', {
    ...typed,
    stepsOf: (reply, usage) => transcriptSteps(reply as TranscribeReply, usage),
  }),
  translate: own('translate'),
  speak: own('speak', {
    ...typed,
    isStreamed: (request) => (request as { stream_format?: unknown }).stream_format === 'sse',
  }),
  createImage: own('createImage', typed),
  editImage: own('editImage', { ...typed, respell: respellEdit, measure: measureEdit }),
  createVideo: own('createVideo'),
  getVideo: own('getVideo'),
  downloadVideo: own('downloadVideo'),
}
