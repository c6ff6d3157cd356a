import type { Protocol } from '../protocol.ts'
import { geminiAddress, vertexAddress } from './address.ts'
import { geminiChat } from './chat.ts'
import { geminiCreateImage } from './create-image.ts'
import { geminiCreateVideo } from './create-video.ts'
import { geminiDownloadVideo } from './download-video.ts'
import { geminiEditImage } from './edit-image.ts'
import { geminiEmbed, vertexEmbed } from './embed.ts'
import { readFailure } from './failure.ts'
import { geminiGetVideo } from './get-video.ts'
import { geminiModels } from './models.ts'
import { geminiEmbedNatives, geminiNatives } from './native.ts'
import { geminiSpeak } from './speak.ts'
import { geminiTranscribe, geminiTranslate } from './transcribe.ts'

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
