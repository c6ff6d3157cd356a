import type { Protocol } from '../protocol.ts'
import { geminiAddress, vertexAddress } from './upstream/address.ts'
import { geminiChat } from './upstream/chat.ts'
import { geminiCreateImage } from './upstream/create-image.ts'
import { geminiCreateVideo } from './upstream/create-video.ts'
import { geminiDownloadVideo } from './upstream/download-video.ts'
import { geminiEditImage } from './upstream/edit-image.ts'
import { geminiEmbed, vertexEmbed } from './upstream/embed.ts'
import { readFailure } from './upstream/failure.ts'
import { geminiGetVideo } from './upstream/get-video.ts'
import { geminiModels } from './upstream/models.ts'
import { geminiEmbedNatives, geminiNatives } from './upstream/native.ts'
import { geminiSpeak } from './upstream/speak.ts'
import { geminiTranscribe, geminiTranslate } from './upstream/transcribe.ts'

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
    createVideo: geminiCreateVideo,
    getVideo: geminiGetVideo,
    downloadVideo: geminiDownloadVideo,
  },
  native: { ...geminiNatives(geminiAddress), ...geminiEmbedNatives(geminiAddress) },
  failure: readFailure,
  models: geminiModels,
}

/**
 * Gemini on Vertex AI: the same bodies below a project and a region, which are the settings `project` and `region`
 * (default `global`). Videos come as bytes inside the operation there, which no download can name, so they are left out.
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
  },
  native: geminiNatives(vertexAddress),
  failure: readFailure,
}
