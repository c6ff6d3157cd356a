import { openaiLike } from '../openai/index.ts'
import { models } from '../openai/models.ts'
import type { Protocol } from '../protocol.ts'
import { createImage } from './create-image.ts'
import { createVideo } from './create-video.ts'
import { downloadVideo } from './download-video.ts'
import { editImage } from './edit-image.ts'
import { failure } from './failure.ts'
import { getVideo } from './get-video.ts'
import { rerank } from './rerank.ts'

const path = (usual: string): string => `/compatible-mode/v1${usual}`

const compatible = openaiLike({
  chat: {
    path,
    lacks: ['logit_bias', 'store', 'prediction', 'web_search_options', 'verbosity'],
    knows: ['top_k', 'reasoning_content', 'thinking_budget', 'video_url'],
  },
  embed: { path },
})

/**
 * Alibaba's Model Studio, relative to https://dashscope-intl.aliyuncs.com: chat and embeddings in OpenAI's form below
 * /compatible-mode/v1, images, rerank and video in its own below /api/v1.
 */
export const dashscope: Protocol = {
  id: 'dashscope',
  codecs: {
    ...pick(compatible.codecs, ['chat', 'embed']),
    createImage,
    editImage,
    rerank,
    createVideo,
    getVideo,
    downloadVideo,
  },
  native: pick(compatible.native, ['chat']),
  failure,
  models: { ...models, path: path(models.path) },
}

function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    Object.entries(from).filter(([name]) => (names as readonly PropertyKey[]).includes(name)),
  ) as Pick<T, K>
}
