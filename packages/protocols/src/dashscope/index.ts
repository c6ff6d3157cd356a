import { readFailure } from '../failure.ts'
import { openaiChat } from '../openai/upstream/chat.ts'
import { openaiEmbed } from '../openai/upstream/embed.ts'
import { models } from '../openai/upstream/models.ts'
import { nativeChat } from '../openai/upstream/native.ts'
import { type ChatOptions, withPath } from '../openai/upstream/options.ts'
import type { Native, Protocol } from '../protocol.ts'
import { createImage } from './create-image.ts'
import { createVideo } from './create-video.ts'
import { downloadVideo } from './download-video.ts'
import { editImage } from './edit-image.ts'
import { getVideo } from './get-video.ts'
import { rerank } from './rerank.ts'
import { nativeToldOfStreams, toldOfStreams } from './whole-answers.ts'

const path = (usual: string): string => `/compatible-mode/v1${usual}`

const chatOptions: ChatOptions = {
  lacks: ['logit_bias', 'store', 'prediction', 'web_search_options', 'verbosity'],
  knows: ['top_k', 'reasoning_content', 'thinking_budget', 'video_url'],
}

function atCompatibleAddress(native: Native): Native {
  return {
    ...native,
    request(call) {
      const request = native.request(call)
      return { ...request, path: path(request.path) }
    },
  }
}

/**
 * Alibaba's Model Studio, relative to https://dashscope-intl.aliyuncs.com. Chat completions and embeddings use OpenAI's form
 * under /compatible-mode/v1; images, rerank and videos use its own form under /api/v1.
 */
export const dashscope: Protocol = {
  id: 'dashscope',
  codecs: {
    chat: toldOfStreams(withPath(openaiChat(chatOptions), path)),
    // Ten texts a call (Model Studio, text embedding API).
    embed: withPath(openaiEmbed({ inputsMax: 10 }), path),
    createImage,
    editImage,
    rerank,
    createVideo,
    getVideo,
    downloadVideo,
  },
  native: { chat: nativeToldOfStreams(atCompatibleAddress(nativeChat(chatOptions))) },
  // `{code, message, request_id}` of the native API, or OpenAI's error object of the compatible API.
  failure: readFailure,
  models: { ...models, path: path(models.path) },
}
