import { type CompleteRequest, GatewayError } from '@sluice/contract'

/** All are requested at once, as the choices of a chat are. */
const partsMax = 128

/** The texts of a prompt; empty for token ids. */
export function promptTexts(prompt: CompleteRequest['prompt']): readonly string[] {
  return [prompt].flat().filter((text) => typeof text === 'string')
}

/** One request for each prompt, for upstreams that take one at a time; `each` of them if they return one choice. */
export function promptParts(request: CompleteRequest, each = 1): readonly CompleteRequest[] {
  const prompts = promptTexts(request.prompt)
  if (prompts.length * each > partsMax)
    throw new GatewayError(
      'unsupported_value',
      `This model takes one prompt at a time, and ${partsMax} are sent at once at most`,
      { param: 'prompt' },
    )
  return prompts.flatMap((prompt) => Array.from({ length: each }, () => ({ ...request, prompt })))
}

/** Token ids belong to one model and cannot be turned into text. */
export function assertTexts({ prompt }: CompleteRequest): void {
  if (promptTexts(prompt).length === 0)
    throw new GatewayError('unsupported_parameter', "'prompt' must be text for this model", {
      param: 'prompt',
    })
}
