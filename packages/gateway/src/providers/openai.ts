import {
  openaiLike,
  openai as openaiProtocol,
  openaiResponses,
  openaiServer,
  openaiServerOfChats,
} from '@sluice/protocols/openai/index.ts'
import { bearer, type Provider } from './provider.ts'
import { openaiRetirements } from './retirements.ts'

/** These models are only available in the Responses API (OpenAI, models). */
const responding =
  /^(gpt-[\d.]+(-codex|-pro)|o[13]-pro|o[34](-mini)?-deep-research|codex-mini|computer-use)/

/** These are refused by the address of text completions (OpenAI, models). */
const chatting = /^(ft:)?(gpt-3\.5-turbo(?!-instruct)|gpt-[4-9]|chatgpt|o\d)/
const chats = openaiLike({ responses: true, complete: false })

/** OpenAI's own addresses, such as those of a region, and Azure's. They reject fields that they do not know. */
const strictHosts =
  /^https:\/\/(?:[\w-]+\.)?(?:api\.openai\.com|[\w-]+\.(?:openai|services\.ai|cognitiveservices)\.azure\.\w+)(?=[:/]|$)/

export const openai: Provider = {
  id: 'openai',
  name: 'OpenAI',
  protocol: openaiProtocol,
  protocolOf(model) {
    if (responding.test(model)) return openaiResponses
    return chatting.test(model) ? chats : undefined
  },
  elsewhere: {
    protocol: openaiServer,
    protocolOf(model) {
      if (responding.test(model)) return openaiResponses
      return chatting.test(model) ? openaiServerOfChats : undefined
    },
    except: strictHosts,
  },
  baseUrl: 'https://api.openai.com/v1',
  environment: ['OPENAI_API_KEY'],
  credentials: bearer,
  routingFields: [],
  retirements: openaiRetirements,
  documentation: 'https://platform.openai.com/docs/api-reference',
}
