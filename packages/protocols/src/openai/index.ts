import { readFailure } from '../failure.ts'
import { chatOutputMax, reasonsWithTools } from '../families/chat-models.ts'
import { responsesChat } from '../openai-responses/upstream/chat.ts'
import { namedInInput } from '../openai-responses/upstream/named.ts'
import {
  inspectCompact,
  inspectResponses,
  searchesNothing,
  withNamedIds,
} from '../openai-responses/upstream/native.ts'
import type { Codec, Native, Protocol } from '../protocol.ts'
import { adaptedResponses } from './upstream/adapted-request.ts'
import { openaiChat } from './upstream/chat.ts'
import { type CompleteOptions, openaiComplete } from './upstream/complete.ts'
import { type ImageOptions, openaiCreateImage } from './upstream/create-image.ts'
import { openaiEditImage } from './upstream/edit-image.ts'
import { type EmbedOptions, openaiEmbed } from './upstream/embed.ts'
import { models } from './upstream/models.ts'
import { openaiModerate } from './upstream/moderate.ts'
import { namedInChat } from './upstream/named.ts'
import {
  nativeChat,
  nativeComplete,
  nativeCreateImage,
  nativeEmbed,
  nativeJson,
  nativeModerate,
  nativeOpenAiChat,
} from './upstream/native.ts'
import { type ChatOptions, ownServer, servesOpenAIs } from './upstream/options.ts'
import { compatibleRerank, type RerankOptions } from './upstream/rerank.ts'
import { openaiSpeak, type SpeakOptions } from './upstream/speak.ts'
import { openaiTranscribe, openaiTranslate, type TranscribeOptions } from './upstream/transcribe.ts'
import { openaiCreateVideo, openaiDownloadVideo, openaiGetVideo } from './upstream/video.ts'

/** The differences between a compatible upstream and OpenAI itself. */
interface OpenAIDifferences {
  readonly chat?: ChatOptions
  /** False if it has no text completions. */
  readonly complete?: CompleteOptions | false
  readonly embed?: EmbedOptions
  readonly transcribe?: TranscribeOptions
  readonly speak?: SpeakOptions
  readonly images?: ImageOptions
  /** Whether the results of moderations are not OpenAI's. Default false. */
  readonly ownModerations?: boolean
  /** Reranking, which OpenAI does not offer. */
  readonly rerank?: RerankOptions
  /** Whether it also has `POST /responses`. Default false. `without search`: a search goes to its chat completions. */
  readonly responses?: boolean | 'without search'
}

/** A Responses request, sent unchanged. */
export const nativeResponses: Native = nativeJson('/responses', inspectResponses, {
  adapted: adaptedResponses,
})

/** The same where the upstream's models search only by its chat completions, as Groq's do. */
const responsesWithoutSearch: Native = { ...nativeResponses, takes: searchesNothing }

/** A request to compact a conversation, sent unchanged. */
const nativeCompact: Native = nativeJson('/responses/compact', inspectCompact)

/** A request to count the tokens of a response, sent unchanged. */
const nativeInputTokens: Native = nativeJson('/responses/input_tokens', inspectCompact)

/** What every upstream with `POST /responses` is asked beside it. */
const besideResponses = { responsesCompact: nativeCompact, responsesInputTokens: nativeInputTokens }

/**
 * The protocol of an upstream that resembles OpenAI; without differences, a server that copies chat completions and the rest.
 */
export function openaiLike(differences: OpenAIDifferences = {}): Protocol {
  const { chat, complete, embed, transcribe, speak, images, rerank, responses } = differences
  const isOpenAi = servesOpenAIs(chat ?? {}) && responses === true
  return {
    id: 'openai',
    versionPath: '/v1',
    codecs: {
      chat: isOpenAi ? withToolTurns(openaiChat(chat)) : openaiChat(chat),
      ...(complete === false ? {} : { complete: openaiComplete(complete) }),
      embed: openaiEmbed(embed),
      moderate: openaiModerate,
      transcribe: openaiTranscribe(transcribe),
      translate: openaiTranslate(transcribe),
      speak: openaiSpeak(speak),
      createImage: openaiCreateImage(images),
      editImage: openaiEditImage(images),
      createVideo: openaiCreateVideo,
      getVideo: openaiGetVideo,
      downloadVideo: openaiDownloadVideo,
      ...(rerank === undefined ? {} : { rerank: compatibleRerank(rerank) }),
    },
    native: {
      chat: isOpenAi ? nativeOpenAiChat(chat) : nativeChat(chat),
      ...(complete === undefined ? { complete: nativeComplete } : {}),
      ...(embed === undefined ? { embed: nativeEmbed } : {}),
      ...(images === undefined ? { createImage: nativeCreateImage } : {}),
      ...(differences.ownModerations === true ? {} : { moderate: nativeModerate }),
      ...(responses === true ? { responses: nativeResponses, ...besideResponses } : {}),
      ...(responses === 'without search'
        ? { responses: responsesWithoutSearch, ...besideResponses }
        : {}),
    },
    failure: readFailure,
    ...(isOpenAi && {
      outputTokensMax: (model, isOtherBase) => (isOtherBase ? undefined : chatOutputMax(model)),
    }),
    models,
    named: namedInChat,
    deleteVideo: (jobId) => ({ method: 'DELETE', path: `/videos/${encodeURIComponent(jobId)}` }),
  }
}

/** Chat completions that refuse turns with tools and reasoning, which go to POST /responses. */
function withToolTurns(codec: Codec<'chat'>): Codec<'chat'> {
  const elsewhere = { codec: responsesChat(), format: 'responses' } as const
  return {
    ...codec,
    elsewhere: (request, { family }) => (reasonsWithTools(family, request) ? elsewhere : undefined),
  }
}

/** OpenAI's API, relative to a base URL that ends in /v1 (https://platform.openai.com/docs/api-reference). */
export const openai: Protocol = openaiLike({ responses: true })

/** OpenAI's API as whatever server a user runs has it. */
export const openaiServer: Protocol = openaiLike({ chat: ownServer, responses: true })

/** The same for a model that has no text completions. */
export const openaiServerOfChats: Protocol = openaiLike({
  chat: ownServer,
  complete: false,
  responses: true,
})

/** A chat request is translated. */
const { chat: _, ...native } = openai.native

/** OpenAI's API with chat completions through POST /responses. All other operations are those of the OpenAI protocol. */
export const openaiResponses: Protocol = {
  ...openai,
  id: 'openai-responses',
  codecs: { ...openai.codecs, chat: responsesChat() },
  native: {
    ...native,
    responses: withNamedIds(nativeResponses),
    responsesCompact: withNamedIds(nativeCompact),
    responsesInputTokens: withNamedIds(nativeInputTokens),
  },
  named: namedInInput,
}
