import { formatJson, parseJson } from '../../../packages/contract/src/wire/json.ts'

/**
 * The content of an upstream request, extracted by independent code: the messages in order, calls and results, and the signed
 * reasoning that is sent back. Requests mean the same if their facts are the same.
 */
export type Fact = readonly string[]

type Fields = Readonly<Record<string, unknown>>

const objects = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value : [])
const object = (value: unknown): Fields => (value ?? {}) as Fields
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const said = (role: string, value: unknown): readonly Fact[] =>
  text(value) === '' ? [] : [[role, text(value)]]
const data = (url: unknown): string => text(url).replace(/^data:[^,]*,/, '')

/** JSON without variations in white space; other texts unchanged. */
export function plainJson(value: string): string {
  try {
    return formatJson(parseJson(value))
  } catch {
    return value
  }
}

export const callFact = (id: unknown, name: unknown, input: string): Fact => [
  'call',
  text(id),
  text(name),
  plainJson(input),
]
export const resultFact = (id: unknown, result: string): Fact => [
  'result',
  text(id),
  plainJson(result),
]

function joined(parts: unknown): string {
  return typeof parts === 'string'
    ? parts
    : objects(parts)
        .map((part) => text(part['text']))
        .join('')
}

function openai(body: Fields): readonly Fact[] {
  return objects(body['messages']).flatMap((message): readonly Fact[] => {
    const role = text(message['role'])
    const { content } = message
    if (role === 'tool') return [resultFact(message['tool_call_id'], joined(content))]
    const parts: readonly Fields[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content)
    return [
      ...parts.flatMap((part): readonly Fact[] => {
        if (part['type'] === 'image_url')
          return [['picture', data(object(part['image_url'])['url'])]]
        if (part['type'] === 'file') return [['document', data(object(part['file'])['file_data'])]]
        return said(role, part['text'] ?? part['refusal'])
      }),
      ...said(role, message['refusal']),
      ...objects(message['tool_calls']).map(({ id, function: made }) =>
        callFact(id, object(made)['name'], text(object(made)['arguments'])),
      ),
    ]
  })
}

function openaiResponses(body: Fields): readonly Fact[] {
  return [
    ...said('system', body['instructions']),
    ...objects(body['input']).flatMap((item): readonly Fact[] => {
      const role = text(item['role'])
      const { content } = item
      switch (item['type']) {
        case 'function_call':
          return [callFact(item['call_id'], item['name'], text(item['arguments']))]
        case 'function_call_output':
          return [resultFact(item['call_id'], joined(item['output']))]
        case 'reasoning':
          return [['reasoning', text(item['encrypted_content']), joined(item['summary'])]]
        default:
      }
      const parts: readonly Fields[] =
        typeof content === 'string' ? [{ text: content }] : objects(content)
      return parts.flatMap((part): readonly Fact[] => {
        if (part['image_url'] !== undefined) return [['picture', data(part['image_url'])]]
        if (part['file_data'] !== undefined) return [['document', data(part['file_data'])]]
        return said(role, part['text'] ?? part['refusal'])
      })
    }),
  ]
}

function anthropic(body: Fields): readonly Fact[] {
  return [
    ...objects(body['system']).flatMap((block) => said('system', block['text'])),
    ...objects(body['messages']).flatMap(({ role, content }) =>
      objects(content).flatMap((block): readonly Fact[] => {
        const source = object(block['source'])
        switch (block['type']) {
          case 'image':
            return [['picture', text(source['data'])]]
          case 'document':
            return [['document', text(source['data'])]]
          case 'tool_use':
            return [callFact(block['id'], block['name'], formatJson(block['input']))]
          case 'tool_result':
            return [resultFact(block['tool_use_id'], joined(block['content']))]
          case 'thinking':
            return [['thinking', text(block['signature']), text(block['thinking'])]]
          case 'redacted_thinking':
            return [['redacted', text(block['data'])]]
          default:
            return said(text(role), block['text'])
        }
      }),
    ),
  ]
}

function bedrock(body: Fields): readonly Fact[] {
  return [
    ...objects(body['system']).flatMap((block) => said('system', block['text'])),
    ...objects(body['messages']).flatMap(({ role, content }) =>
      objects(content).flatMap((block): readonly Fact[] => {
        const { toolUse, toolResult, image, document, reasoningContent } = block
        const bytes = (media: unknown) => text(object(object(media)['source'])['bytes'])
        if (image !== undefined) return [['picture', bytes(image)]]
        if (document !== undefined) return [['document', bytes(document)]]
        if (toolUse !== undefined) {
          const { toolUseId, name, input } = object(toolUse)
          return [callFact(toolUseId, name, formatJson(input))]
        }
        if (toolResult !== undefined)
          return [
            resultFact(object(toolResult)['toolUseId'], joined(object(toolResult)['content'])),
          ]
        if (reasoningContent !== undefined) {
          const { reasoningText, redactedContent } = object(reasoningContent)
          const { text: thinking, signature } = object(reasoningText)
          return redactedContent === undefined
            ? [['thinking', text(signature), text(thinking)]]
            : [['redacted', text(redactedContent)]]
        }
        return said(text(role), block['text'])
      }),
    ),
  ]
}

/** Replaces the signature in a history of other models; it carries no information. */
const bypass = 'skip_thought_signature_validator'

function gemini(body: Fields): readonly Fact[] {
  const system = objects(object(body['systemInstruction'])['parts'])
  return [
    ...system.flatMap((part) => said('system', part['text'])),
    ...objects(body['contents']).flatMap(({ role, parts }) =>
      objects(parts).flatMap((part): readonly Fact[] => {
        const { functionCall, functionResponse, inlineData, thoughtSignature } = part
        const signature = text(thoughtSignature)
        if (functionCall !== undefined) {
          const { id, name, args } = object(functionCall)
          const signed: readonly Fact[] =
            signature === '' || signature === bypass ? [] : [['signed', text(id), signature]]
          return [...signed, callFact(id, name, formatJson(args))]
        }
        if (functionResponse !== undefined) {
          const { id, response } = object(functionResponse)
          const { output, ...rest } = object(response)
          const only = typeof output === 'string' && Object.keys(rest).length === 0
          return [resultFact(id, only ? output : formatJson(response))]
        }
        if (inlineData !== undefined) {
          const { mimeType, data: bytes } = object(inlineData)
          return [[text(mimeType) === 'application/pdf' ? 'document' : 'picture', text(bytes)]]
        }
        const thought: readonly Fact[] = signature === '' ? [] : [['thought', signature]]
        return [...said(role === 'model' ? 'assistant' : 'user', part['text']), ...thought]
      }),
    ),
  ]
}

/** By the protocol's id. Cohere's chat yields the same facts as OpenAI's. */
export const factsOf: Readonly<Record<string, (body: Fields) => readonly Fact[]>> = {
  anthropic,
  bedrock,
  cohere: openai,
  gemini,
  openai,
  'openai-responses': openaiResponses,
}
