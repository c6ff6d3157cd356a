import { readFailure } from '../failure.ts'
import { chatOutputMax } from '../families/chat-models.ts'
import {
  nativeCompact,
  nativeResponses,
  responsesWithoutSearch,
} from '../openai-responses/upstream/native.ts'
import type { Protocol } from '../protocol.ts'
import { openaiChat } from './upstream/chat.ts'
import { type CompleteOptions, openaiComplete } from './upstream/complete.ts'
import { type ImageOptions, openaiCreateImage } from './upstream/create-image.ts'
import { openaiCreateVideo } from './upstream/create-video.ts'
import { openaiDownloadVideo } from './upstream/download-video.ts'
import { openaiEditImage } from './upstream/edit-image.ts'
import { type EmbedOptions, openaiEmbed } from './upstream/embed.ts'
import { openaiGetVideo } from './upstream/get-video.ts'
import { models } from './upstream/models.ts'
import { type ModerateOptions, openaiModerate } from './upstream/moderate.ts'
import { namedInChat } from './upstream/named.ts'
import {
  nativeChat,
  nativeComplete,
  nativeCreateImage,
  nativeEmbed,
  nativeModerate,
} from './upstream/native.ts'
import type { ChatOptions } from './upstream/options.ts'
import { compatibleRerank, type RerankOptions } from './upstream/rerank.ts'
import { openaiSpeak, type SpeakOptions } from './upstream/speak.ts'
import { openaiTranscribe, openaiTranslate, type TranscribeOptions } from './upstream/transcribe.ts'

/** The differences between a compatible upstream and OpenAI itself. */
interface OpenAIDifferences {
  readonly chat?: ChatOptions
  /** False if it has no text completions. */
  readonly complete?: CompleteOptions | false
  readonly embed?: EmbedOptions
  readonly transcribe?: TranscribeOptions
  readonly speak?: SpeakOptions
  readonly images?: ImageOptions
  /** Set where the results of moderations are not OpenAI's. */
  readonly moderate?: ModerateOptions
  /** Reranking, which OpenAI does not offer. */
  readonly rerank?: RerankOptions
  /** Whether it also has `POST /responses`. Default false. `without search`: a search goes to its chat completions. */
  readonly responses?: boolean | 'without search'
}

/**
 * The protocol of an upstream that resembles OpenAI; without differences, a server that copies chat completions and the rest.
 */
export function openaiLike(differences: OpenAIDifferences = {}): Protocol {
  const { chat, complete, embed, moderate, transcribe, speak, images, rerank, responses } =
    differences
  return {
    id: 'openai',
    versionPath: '/v1',
    codecs: {
      chat: openaiChat(chat),
      ...(complete === false ? {} : { complete: openaiComplete(complete) }),
      embed: openaiEmbed(embed),
      moderate: openaiModerate(moderate),
      transcribe: openaiTranscribe(transcribe),
      translate: openaiTranslate(transcribe),
      speak: openaiSpeak(speak),
      createImage: openaiCreateImage(images),
      editImage: openaiEditImage(images),
      createVideo: openaiCreateVideo(),
      getVideo: openaiGetVideo(),
      downloadVideo: openaiDownloadVideo(),
      ...(rerank === undefined ? {} : { rerank: compatibleRerank(rerank) }),
    },
    native: {
      chat: nativeChat(chat),
      ...(complete === undefined ? { complete: nativeComplete } : {}),
      ...(embed === undefined ? { embed: nativeEmbed } : {}),
      ...(images === undefined ? { createImage: nativeCreateImage } : {}),
      ...(moderate === undefined ? { moderate: nativeModerate } : {}),
      ...(responses === true
        ? { responses: nativeResponses, responsesCompact: nativeCompact }
        : {}),
      ...(responses === 'without search'
        ? { responses: responsesWithoutSearch, responsesCompact: nativeCompact }
        : {}),
    },
    failure: readFailure,
    ...(chat === undefined &&
      responses === true && {
        outputTokensMax: (model, isOtherBase) => (isOtherBase ? undefined : chatOutputMax(model)),
      }),
    models,
    named: namedInChat,
    deleteVideo: (jobId) => ({ method: 'DELETE', path: `/videos/${encodeURIComponent(jobId)}` }),
  }
}

/** OpenAI's API, relative to a base URL that ends in /v1 (https://platform.openai.com/docs/api-reference). */
export const openai: Protocol = openaiLike({ responses: true })
