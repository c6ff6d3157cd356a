import { countOf, isObject, listOf, objectOf, someText } from '@sluice/contract'
import { geminiOutputMax } from '../families/gemini.ts'
import type { ModelList, Protocol } from '../protocol.ts'
import { type AddressOf, geminiAddress, vertexAddress } from './upstream/address.ts'
import { withoutCallIds } from './upstream/call-ids.ts'
import { geminiChat } from './upstream/chat.ts'
import { geminiCreateImage } from './upstream/create-image.ts'
import { veoCreateVideo } from './upstream/create-video.ts'
import { veoDownloadVideo } from './upstream/download-video.ts'
import { geminiEditImage } from './upstream/edit-image.ts'
import { geminiEmbed, vertexEmbed } from './upstream/embed.ts'
import { readFailure } from './upstream/failure.ts'
import { veoGetVideo } from './upstream/get-video.ts'
import { namedInGemini } from './upstream/named.ts'
import { geminiEmbedNatives, geminiNatives } from './upstream/native.ts'
import { vertexRank } from './upstream/rank.ts'
import { geminiSpeak } from './upstream/speak.ts'
import { geminiTranscribe, geminiTranslate } from './upstream/transcribe.ts'
import { geminiVideos, parseJob, type VeoPlace, vertexVideos } from './upstream/video.ts'

/** GET /v1beta/models (https://ai.google.dev/api/models). 1,000 is the largest page size and more than the number of models. */
const geminiModels: ModelList = {
  path: '/v1beta/models?pageSize=1000',
  decode: (body) =>
    listOf(objectOf(body)['models'])
      .filter(isObject)
      .flatMap((model) => {
        const name = someText(model['name'])
        if (name === undefined) return []
        const inputTokenLimit = countOf(model['inputTokenLimit'])
        const outputTokenLimit = countOf(model['outputTokenLimit'])
        const displayName = someText(model['displayName'])
        const description = someText(model['description'])
        return [
          {
            id: name.replace(/^models\//, ''),
            ...(inputTokenLimit === undefined ? {} : { inputTokenLimit }),
            ...(outputTokenLimit === undefined ? {} : { outputTokenLimit }),
            ...(displayName === undefined ? {} : { displayName }),
            ...(description === undefined ? {} : { description }),
          },
        ]
      }),
}

/** What the Gemini API and Vertex AI have in common: they differ in addresses and in where their videos are. */
function geminiAt(address: AddressOf, videos: VeoPlace) {
  return {
    codecs: {
      chat: geminiChat(address),
      createImage: geminiCreateImage(address),
      editImage: geminiEditImage(address),
      speak: geminiSpeak(address),
      transcribe: geminiTranscribe(address),
      translate: geminiTranslate(address),
      createVideo: veoCreateVideo(address),
      getVideo: veoGetVideo(videos),
      downloadVideo: veoDownloadVideo(videos),
    },
    native: geminiNatives(address),
    failure: readFailure,
    outputTokensMax: geminiOutputMax,
    named: namedInGemini,
    deleteVideo: (jobId: string) => videos.remove(parseJob(jobId)),
  }
}

const atGoogle = geminiAt(geminiAddress, geminiVideos)

/** The Gemini API (https://ai.google.dev/api); base URL https://generativelanguage.googleapis.com. */
export const gemini: Protocol = {
  ...atGoogle,
  id: 'gemini',
  codecs: { ...atGoogle.codecs, embed: geminiEmbed },
  native: { ...atGoogle.native, ...geminiEmbedNatives(geminiAddress) },
  models: geminiModels,
}

const atVertex = geminiAt(vertexAddress, vertexVideos)
const { generateContent, streamGenerateContent, countTokens } = atVertex.native

/**
 * Gemini on Vertex AI: the same bodies under a project and a region, which are the settings `project` and `region` (default
 * `global`), and its ranking API for rerank.
 */
export const vertex: Protocol = {
  ...atVertex,
  id: 'vertex',
  native: {
    ...atVertex.native,
    generateContent: withoutCallIds(generateContent),
    streamGenerateContent: withoutCallIds(streamGenerateContent),
    countTokens: withoutCallIds(countTokens),
  },
  codecs: { ...atVertex.codecs, embed: vertexEmbed(vertexAddress), rerank: vertexRank },
}
