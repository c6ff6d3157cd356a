import { countOf, isObject, listOf, objectOf, someText } from '@sluice/contract'
import { geminiOutputMax } from '../families/gemini.ts'
import type { ModelList, Protocol } from '../protocol.ts'
import { geminiAddress, vertexAddress } from './upstream/address.ts'
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
import { geminiVideos, parseJob, vertexVideos } from './upstream/video.ts'

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

/** The Gemini API (https://ai.google.dev/api); base URL https://generativelanguage.googleapis.com. */
export const gemini: Protocol = {
  id: 'gemini',
  codecs: {
    chat: geminiChat(geminiAddress),
    embed: geminiEmbed,
    createImage: geminiCreateImage(geminiAddress),
    editImage: geminiEditImage(geminiAddress),
    speak: geminiSpeak(geminiAddress),
    transcribe: geminiTranscribe(geminiAddress),
    translate: geminiTranslate(geminiAddress),
    createVideo: veoCreateVideo(geminiAddress),
    getVideo: veoGetVideo(geminiVideos),
    downloadVideo: veoDownloadVideo(geminiVideos),
  },
  native: { ...geminiNatives(geminiAddress), ...geminiEmbedNatives(geminiAddress) },
  failure: readFailure,
  outputTokensMax: geminiOutputMax,
  named: namedInGemini,
  models: geminiModels,
  deleteVideo: (jobId) => geminiVideos.remove(parseJob(jobId)),
}

/**
 * Gemini on Vertex AI: the same bodies under a project and a region, which are the settings `project` and `region` (default
 * `global`), and its ranking API for rerank.
 */
export const vertex: Protocol = {
  id: 'vertex',
  codecs: {
    chat: geminiChat(vertexAddress),
    embed: vertexEmbed(vertexAddress),
    createImage: geminiCreateImage(vertexAddress),
    editImage: geminiEditImage(vertexAddress),
    speak: geminiSpeak(vertexAddress),
    transcribe: geminiTranscribe(vertexAddress),
    translate: geminiTranslate(vertexAddress),
    createVideo: veoCreateVideo(vertexAddress),
    getVideo: veoGetVideo(vertexVideos),
    downloadVideo: veoDownloadVideo(vertexVideos),
    rerank: vertexRank,
  },
  native: geminiNatives(vertexAddress),
  failure: readFailure,
  outputTokensMax: geminiOutputMax,
  named: namedInGemini,
  deleteVideo: (jobId) => vertexVideos.remove(parseJob(jobId)),
}
