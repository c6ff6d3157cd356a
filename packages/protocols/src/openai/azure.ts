import { readFailure } from '../failure.ts'
import type { OperationName } from '@sluice/contract'
import type { Codec, CodecContext, Protocol } from '../protocol.ts'
import { openaiChat } from './upstream/chat.ts'
import { openaiComplete } from './upstream/complete.ts'
import { openaiCreateImage } from './upstream/create-image.ts'
import { openaiEditImage } from './upstream/edit-image.ts'
import { openaiEmbed } from './upstream/embed.ts'
import { withPath } from './upstream/options.ts'
import { maxTokensOnly } from './upstream/quirks.ts'
import { openaiSpeak } from './upstream/speak.ts'
import { openaiTranscribe, openaiTranslate } from './upstream/transcribe.ts'

/**
 * The last version of the dated API, which has all models; the last generally available one answers 404 for the newest
 * (langwatch/langwatch#5134). `settings.apiVersion` overrides it.
 */
const usualVersion = '2025-04-01-preview'

/** The deployment's name is in the address and the API's version in the query. */
function deployed<O extends OperationName>(codec: Codec<O>): Codec<O> {
  return withPath(
    codec,
    (usual, context) =>
      `/openai/deployments/${encodeURIComponent(context.model)}${usual}?api-version=${encodeURIComponent(versionOf(context))}`,
  )
}

function versionOf({ settings }: CodecContext): string {
  return settings['apiVersion'] ?? usualVersion
}

/** `max_completion_tokens` was introduced with 2024-09-01-preview; earlier versions reject the name. */
function datedChat(): Codec<'chat'> {
  const chat = deployed(openaiChat())
  return {
    ...chat,
    encode(request, context) {
      const encoded = chat.encode(request, context)
      return versionOf(context) < '2024-09' ? maxTokensOnly(encoded, 'chat', context) : encoded
    },
  }
}

/**
 * Azure OpenAI's dated API, relative to the resource's address
 * (https://learn.microsoft.com/azure/ai-services/openai/reference). Deployments take the place of models, and there is no list
 * of them. The newer `/openai/v1` endpoint uses OpenAI's own protocol.
 */
export const azureDeployments: Protocol = {
  id: 'azure',
  codecs: {
    chat: datedChat(),
    complete: deployed(openaiComplete()),
    embed: deployed(openaiEmbed()),
    transcribe: deployed(openaiTranscribe()),
    translate: deployed(openaiTranslate()),
    speak: deployed(openaiSpeak()),
    createImage: deployed(openaiCreateImage()),
    editImage: deployed(openaiEditImage()),
  },
  native: {},
  failure: readFailure,
}
