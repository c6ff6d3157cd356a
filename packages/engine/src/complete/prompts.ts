import { type CompleteRequest, GatewayError } from '@sluice/contract'
import { contextTokensMax } from '../chat/read-request.ts'
import { countTokens, decodeTokenIds } from '../tokens.ts'

export interface PromptText {
  readonly text: string
  readonly tokens: number
}

/**
 * The prompts of a request as texts, whichever of the four forms they came in.
 * Throws invalid_request for ids that are no tokens (param `prompt[i]`), context_length_exceeded (param `prompt`).
 */
export async function readPrompts({ prompt, suffix }: CompleteRequest): Promise<PromptText[]> {
  const texts = await textsOf(prompt)
  const behind = countTokens(suffix ?? '')
  return texts.map((text) => {
    const tokens = countTokens(text)
    if (tokens + behind > contextTokensMax)
      throw new GatewayError(
        'context_length_exceeded',
        `This model's maximum context length is ${contextTokensMax} tokens, but the prompt comes to ${tokens + behind}`,
        { param: 'prompt' },
      )
    return { text, tokens }
  })
}

async function textsOf(prompt: CompleteRequest['prompt']): Promise<string[]> {
  if (typeof prompt === 'string') return [prompt]
  const ids: number[] = []
  const texts: string[] = []
  for (const [index, item] of prompt.entries()) {
    if (typeof item === 'string') texts.push(item)
    else if (typeof item === 'number') ids.push(item)
    else texts.push(await decodeTokenIds(item, `prompt[${index}]`))
  }
  return ids.length > 0 ? [await decodeTokenIds(ids)] : texts
}
