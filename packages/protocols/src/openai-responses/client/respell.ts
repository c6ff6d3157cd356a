import { type Fields, formatJson, GatewayError, isObject } from '@sluice/contract'

/** A Responses request in OpenAI's form: where the caller wrote a single object, a list or a text is used. */
export function respellResponses(request: Fields): Fields {
  const { input, model, prompt } = request
  // OpenAI takes the model from the prompt, which only OpenAI knows.
  if (model == null && prompt != null)
    throw new GatewayError(
      'missing_parameter',
      "Missing required parameter: 'model'. This gateway chooses by it where a request goes, also with a prompt",
      { param: 'model' },
    )
  if (isObject(input)) return { ...request, input: [respelledItem(input)] }
  return Array.isArray(input) ? { ...request, input: input.map(respelledItem) } : request
}

/** Items whose output is a text or a list; the output of others, such as a screenshot, is an object. */
const toldOutputs: ReadonlySet<unknown> = new Set([
  'function_call_output',
  'custom_tool_call_output',
])

function respelledItem(item: unknown): unknown {
  if (!isObject(item)) return item
  const { type, role, content, output } = item
  return {
    ...item,
    ...(isObject(content) ? { content: [respelledPart(content, role)] } : {}),
    ...(Array.isArray(content)
      ? { content: content.map((part) => respelledPart(part, role)) }
      : {}),
    ...(isObject(output) && toldOutputs.has(type) ? { output: formatJson(output) } : {}),
  }
}

/** Accepts a text or an image in the form of chat completions. */
function respelledPart(part: unknown, role: unknown): unknown {
  if (!isObject(part)) return part
  const { type, image_url: picture, ...rest } = part
  if (type === 'text') return { ...part, type: role === 'assistant' ? 'output_text' : 'input_text' }
  if (!isObject(picture)) return part
  const { url, detail } = picture
  return {
    ...rest,
    type: 'input_image',
    image_url: url,
    ...(detail == null ? {} : { detail }),
  }
}
