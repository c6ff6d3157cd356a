import { readFailure } from '../failure.ts'
import type { Protocol } from '../protocol.ts'
import { openaiChat } from './upstream/chat.ts'
import { openaiComplete } from './upstream/complete.ts'
import { openaiCreateImage } from './upstream/create-image.ts'
import { openaiEditImage } from './upstream/edit-image.ts'
import { openaiEmbed } from './upstream/embed.ts'
import type { PathOf } from './upstream/options.ts'
import { openaiSpeak } from './upstream/speak.ts'
import { openaiTranscribe, openaiTranslate } from './upstream/transcribe.ts'

/** The latest version of the dated API that is generally available; `settings.apiVersion` replaces it. */
const usualVersion = '2024-10-21'

/** The deployment's name is in the address, the API's version in the query. */
const path: PathOf = (usual, { model, settings }) => {
  const version = settings['apiVersion'] ?? usualVersion
  return `/openai/deployments/${encodeURIComponent(model)}${usual}?api-version=${encodeURIComponent(version)}`
}

/**
 * Azure OpenAI's dated API, relative to the resource's address
 * (https://learn.microsoft.com/azure/ai-services/openai/reference). Deployments are the models, and it lists none. The
 * newer `/openai/v1` endpoint is OpenAI's own protocol.
 */
export const azureDeployments: Protocol = {
  id: 'azure',
  codecs: {
    chat: openaiChat({ path }),
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
