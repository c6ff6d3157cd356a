import {
  type ChatReply,
  type OperationName,
  operations,
  type TranscribeReply,
} from '@sluice/contract'
import { openAiHeaders } from '../../format-headers.ts'
import { plainMeasure } from '../../measure.ts'
import { limitField } from '../../output-limit.ts'
import type { ClientFormat } from '../../client-format.ts'
import { reportHeaders } from '../caller-headers.ts'
import { textsNamed } from '../../streamed-texts.ts'
import { chatMessages, completionMessages } from './chat-messages.ts'
import { canonicalChat, chatAnswer, paramOfChat, stopList, writeChat } from './chat.ts'
import { chatDefaults, completionDefaults } from './default-places.ts'
import { measureChat, measureCompletion, measureEdit } from './measure.ts'
import { respellChat, respellEdit } from './respell.ts'
import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  CompletionRequest,
} from './schema.ts'
import { asksForUsage, done, writeChunks, writeTypedEvents } from './stream.ts'
import { transcriptSteps } from './transcript-steps.ts'

/** What requests and responses hold, and where. */
type Shapes = Pick<ClientFormat, 'measure' | 'outputLimit' | 'continues' | 'textsOf' | 'messages'>

/** Of an operation without media, limits and messages. */
const plain: Shapes = {
  measure: () => plainMeasure,
  outputLimit: 'none',
  continues: 'none',
  textsOf: 'none',
  messages: 'none',
}

/**
 * An operation in the form of OpenAI's clients. Most are the canonical form itself, so nothing is translated; `further` holds
 * what is particular to the operation.
 */
function own(name: OperationName, further: Shapes & Partial<ClientFormat>): ClientFormat {
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
    outputLimit: limitField('max_completion_tokens', 'max_tokens'),
    defaulted: chatDefaults,
    continues: 'none',
    textsOf: textsNamed(
      'content',
      'text',
      'thinking',
      'reasoning',
      'reasoning_content',
      'name',
      'arguments',
      'input',
      'refusal',
      'transcript',
    ),
    messages: chatMessages,
    toCanonical(request, context) {
      reportHeaders(context)
      return canonicalChat(request as ChatCompletionRequest, context)
    },
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
    outputLimit: limitField('max_tokens'),
    defaulted: completionDefaults,
    continues: 'none',
    textsOf: textsNamed('text'),
    messages: completionMessages,
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
  embed: own('embed', plain),
  // OpenAI has no such operation.
  rerank: own('rerank', { ...plain, headers: {} }),
  moderate: own('moderate', plain),
  transcribe: own('transcribe', {
    ...plain,
    ...typed,
    textsOf: textsNamed('delta', 'text'),
    stepsOf: (reply, usage) => transcriptSteps(reply as TranscribeReply, usage),
  }),
  translate: own('translate', plain),
  speak: own('speak', {
    ...plain,
    ...typed,
    isStreamed: (request) => (request as { stream_format?: unknown }).stream_format === 'sse',
  }),
  createImage: own('createImage', { ...plain, ...typed }),
  editImage: own('editImage', { ...plain, ...typed, respell: respellEdit, measure: measureEdit }),
  createVideo: own('createVideo', plain),
  getVideo: own('getVideo', plain),
  downloadVideo: own('downloadVideo', plain),
}
