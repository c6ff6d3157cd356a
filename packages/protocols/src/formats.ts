import { messages, messagesCountTokens } from './anthropic/client/formats.ts'
import { batchEmbedContents, embedContent } from './gemini/client/embed.ts'
import { countTokens, generateContent, streamGenerateContent } from './gemini/client/formats.ts'
import { ownFormats } from './openai/client/formats.ts'
import { responsesCompact } from './openai-responses/client/compact.ts'
import { responsesInputTokens } from './openai-responses/client/input-tokens.ts'
import { responses } from './openai-responses/client/formats.ts'
import type { ClientFormat } from './client-format.ts'

/** All client formats. A new one needs a file in its protocol's folder and a line here. */
export const formats: readonly ClientFormat[] = [
  ...Object.values(ownFormats),
  batchEmbedContents,
  countTokens,
  embedContent,
  generateContent,
  messages,
  messagesCountTokens,
  responses,
  responsesCompact,
  responsesInputTokens,
  streamGenerateContent,
]
