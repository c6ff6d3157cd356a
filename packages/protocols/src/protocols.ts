import { anthropic } from './anthropic/index.ts'
import { bedrock } from './bedrock/index.ts'
import { cohere } from './cohere/index.ts'
import { dashscope } from './dashscope/index.ts'
import { deepgram } from './deepgram/index.ts'
import { elevenlabs } from './elevenlabs/index.ts'
import { gemini, vertex } from './gemini/index.ts'
import { jina, voyage } from './jina/index.ts'
import { azureDeployments } from './openai/azure.ts'
import { openai, openaiResponses } from './openai/index.ts'
import type { Protocol } from './protocol.ts'
import { vertexAnthropic } from './vertex-anthropic/index.ts'

/** All wire protocols that an upstream can use. A new one needs a folder next to this file and a line here. */
export const protocols: readonly Protocol[] = [
  anthropic,
  azureDeployments,
  bedrock,
  cohere,
  dashscope,
  deepgram,
  elevenlabs,
  gemini,
  jina,
  openai,
  openaiResponses,
  vertex,
  vertexAnthropic,
  voyage,
]
