import { GatewayError } from '@sluice/contract'
import { imageTokensMax } from '@sluice/protocols/families/image-tokens.ts'
import type { Measured, ProviderTools } from '@sluice/protocols/measure.ts'
import type { Target } from '../route/routing.ts'
import type { InputSize } from './input-size.ts'

/** 32 tokens a second (Gemini API, token counting) of speech at 5 kbit/s. */
const bytesPerAudioToken = 20
/** A template that begins with a text of its own, such as that of OpenAI's open models, takes no more. */
const templateTokens = 64
/** How tools are called (Claude docs, tool use pricing: 804 tokens at most). */
const toolTokens = 1_000
/** By how much one provider may count more for a stored conversation than the one that answered it. */
const tokenizersDiffer = 2

/** The most input tokens that a target counts for a call, by what they cost. */
export interface InputBound {
  /** All of them. */
  readonly tokens: number
  readonly imageTokens: number
  readonly audioTokens: number
  /** Whether any of the others may be of a kind that costs more than text. */
  readonly hasUnknown: boolean
  /** How often the model may read them, at most: once, and after each call of a tool that the provider runs. */
  readonly readings: number
}

/**
 * One token for each byte: a tokenizer makes no more of a text. What is not in the request, and documents, whose text is
 * compressed, may fill the model's window.
 *
 * @throws GatewayError `forbidden` if nothing bounds the input: the model's window or the number of calls of a tool is unknown.
 */
export function inputBound(
  size: InputSize,
  target: Target,
  { providerTools: tools, offersTools }: Measured,
): InputBound {
  const window = target.inputTokensMax?.()
  if (tools && tools.uses === undefined) throw unlimitedTools(tools)
  const imageTokens = size.images === 0 ? 0 : size.images * imageTokensMax(target.model)
  const audioTokens = Math.ceil(size.audioBytes / bytesPerAudioToken)
  const own =
    size.textBytes +
    templateTokens +
    (offersTools === true ? toolTokens : 0) +
    imageTokens +
    audioTokens +
    // A second of a video takes 300 tokens and more bytes.
    size.videoBytes +
    (size.history ?? 0) * tokenizersDiffer
  const [outside] = size.references
  const isOpen = outside !== undefined || size.documentBytes > 0 || tools !== undefined
  if (isOpen && window === undefined)
    throw unknownWindow(target, outside ?? tools?.path ?? 'a document')
  const tokens = isOpen ? (window ?? own) : Math.min(own, window ?? own)
  return {
    tokens,
    imageTokens: Math.min(imageTokens, tokens),
    audioTokens: Math.min(audioTokens, tokens),
    hasUnknown: isOpen || size.videoBytes > 0,
    readings: 1 + (tools?.uses ?? 0),
  }
}

/** What an administrator may do so that a budget counts such calls. */
const estimated = 'let the budget count by estimates (inputBound: estimate)'

function unlimitedTools({ path, limitedBy }: ProviderTools): GatewayError {
  const limit = limitedBy === undefined ? '' : `set ${limitedBy}, or `
  return refused(
    `A budget applies to this request, and nothing limits how often the provider uses ${path}: ${limit}${estimated}`,
    limitedBy ?? path,
  )
}

function unknownWindow({ id }: Target, what: string): GatewayError {
  return refused(
    `A budget applies to this request, and ${what} may fill the context window of ${id}, whose size is unknown: set its inputTokenLimit, or ${estimated}`,
    what,
  )
}

function refused(message: string, param: string): GatewayError {
  return new GatewayError('forbidden', message, { param })
}
