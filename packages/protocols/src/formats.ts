import { messages, messagesCountTokens } from './anthropic/client.ts'
import { countTokens, generateContent, streamGenerateContent } from './gemini/client.ts'
import { batchEmbedContents, embedContent } from './gemini/client-embed.ts'
import { responses } from './openai-responses/client.ts'
import type { ClientFormat } from './protocol.ts'

/** Every client format besides the canonical one. Adding one is a file in its protocol's folder and a line here. */
export const formats: readonly ClientFormat[] = [
  batchEmbedContents,
  countTokens,
  embedContent,
  generateContent,
  messages,
  messagesCountTokens,
  responses,
  streamGenerateContent,
]
