import { readFailure } from '../failure.ts'
import type { Codec, CodecContext, Protocol } from '../protocol.ts'
import { openaiChat } from './upstream/chat.ts'
import { openaiComplete } from './upstream/complete.ts'
import { openaiCreateImage } from './upstream/create-image.ts'
import { openaiEditImage } from './upstream/edit-image.ts'
import { openaiEmbed } from './upstream/embed.ts'
import type { PathOf } from './upstream/options.ts'
import { maxTokensOnly } from './upstream/quirks.ts'
import { openaiSpeak } from './upstream/speak.ts'
import { openaiTranscribe, openaiTranslate } from './upstream/transcribe.ts'

/** The latest version of the dated API that is generally available; `settings.apiVersion` replaces it. */
const usualVersion = '2024-10-21'

/** The deployment's name is in the address, the API's version in the query. */
const path: PathOf = (usual, context) =>
  `/openai/deployments/${encodeURIComponent(context.model)}${usual}?api-version=${encodeURIComponent(versionOf(context))}`

function versionOf({ settings }: CodecContext): string {
  return settings['apiVersion'] ?? usualVersion
}

/** `max_completion_tokens` came with 2024-09-01-preview; versions before it refuse the name. */
function datedChat(): Codec<'chat'> {
  const chat = openaiChat({ path })
  return {
    ...chat,
    encode(request, context) {
      const encoded = chat.encode(request, context)
      return versionOf(context) < '2024-09' ? maxTokensOnly(encoded, 'chat') : encoded
    },
  }
}

/**
 * Azure OpenAI's dated API, relative to the resource's address
 * (https://learn.microsoft.com/azure/ai-services/openai/reference). Deployments are the models, and it lists none. The
 * newer `/openai/v1` endpoint is OpenAI's own protocol.
 */
export const azureDeployments: Protocol = {
  id: 'azure',
  codecs: {
    chat: datedChat(),
    complete: openaiComplete({ path }),
    embed: openaiEmbed({ path }),
    transcribe: openaiTranscribe({ path }),
    translate: openaiTranslate({ path }),
    speak: openaiSpeak({ path }),
    createImage: openaiCreateImage({ path }),
    editImage: openaiEditImage({ path }),
  },
  native: {},
  failure: readFailure,
}
