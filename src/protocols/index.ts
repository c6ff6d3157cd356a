import { anthropic } from './anthropic/index.ts'
import { bedrock } from './bedrock/index.ts'
import { cohere } from './cohere/index.ts'
import { openai } from './openai/index.ts'
import type { ClientFormat, Protocol } from './protocol.ts'

/** Every wire protocol an upstream can speak. Adding one is a folder beside this file and a line here. */
export const protocols: readonly Protocol[] = [anthropic, bedrock, cohere, openai]

/** Every client format besides the canonical one. Adding one is a file in its protocol's folder and a line here. */
export const formats: readonly ClientFormat[] = []
