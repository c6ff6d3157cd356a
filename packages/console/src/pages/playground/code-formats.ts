import { type CodeFile, fileMark } from './code-literals.ts'
import { type Fields, isFields } from './fields.ts'

// Translates a chat of the playground for the clients of other APIs. Undefined if the API cannot express its content.

/** The Messages API requires a maximum number of output tokens. */
const usualMaxTokens = 1_024

/** The request for `messages.create` of the Anthropic packages. */
export function messagesRequest(body: Fields, file?: CodeFile): Fields | undefined {
  const { model, max_completion_tokens: limit, tools, response_format: format } = body
  if (body['audio'] !== undefined || file?.type.startsWith('audio/')) return undefined
  const messages = listOf(body['messages'])
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  const schema = schemaOf(format)
  return {
    model,
    max_tokens: limit ?? usualMaxTokens,
    ...(system.length > 0 && { system: system.join('\n') }),
    messages: messages
      .filter(({ role }) => role !== 'system')
      .map((message) => anthropicMessage(message, file)),
    ...(Array.isArray(tools) && {
      tools: functionsOf(tools).map(({ name, description, parameters }) => ({
        name,
        ...(description !== undefined && { description }),
        input_schema: parameters ?? { type: 'object' },
      })),
    }),
    ...(schema !== undefined && { output_config: { format: { type: 'json_schema', schema } } }),
  }
}

function anthropicMessage(message: Fields, file: CodeFile | undefined): Fields {
  const { role, content, tool_calls: calls, tool_call_id: id } = message
  if (role === 'tool')
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }
  if (Array.isArray(calls))
    return {
      role,
      content: [
        ...(content ? [{ type: 'text', text: content }] : []),
        ...listOf(calls).map((call) => ({
          type: 'tool_use',
          id: call['id'],
          ...calledOf(call, 'input'),
        })),
      ],
    }
  if (!Array.isArray(content)) return { role, content }
  const picture = { type: 'base64', media_type: file?.type, data: fileMark }
  return {
    role,
    content: listOf(content).map((part) =>
      part['type'] === 'text' ? part : { type: 'image', source: picture },
    ),
  }
}

/** The request for `models.generateContent` of the genai packages. */
export function generateRequest(body: Fields, file?: CodeFile): Fields | undefined {
  const { model, max_completion_tokens: limit, tools, response_format: format } = body
  if (body['audio'] !== undefined) return undefined
  const messages = listOf(body['messages'])
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  const schema = schemaOf(format)
  const names = new Map(
    messages
      .flatMap(({ tool_calls: calls }) => listOf(calls))
      .map((call) => [call['id'], calledOf(call, 'args').name]),
  )
  const config = {
    ...(system.length > 0 && { systemInstruction: system.join('\n') }),
    ...(limit !== undefined && { maxOutputTokens: limit }),
    ...(Array.isArray(tools) && {
      tools: [
        {
          functionDeclarations: functionsOf(tools).map(({ name, description, parameters }) => ({
            name,
            ...(description !== undefined && { description }),
            ...(parameters !== undefined && { parametersJsonSchema: parameters }),
          })),
        },
      ],
    }),
    ...(schema !== undefined && {
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    }),
  }
  return {
    model,
    contents: messages
      .filter(({ role }) => role !== 'system')
      .map((message) => geminiContent(message, file, names)),
    ...(Object.keys(config).length > 0 && { config }),
  }
}

function geminiContent(
  message: Fields,
  file: CodeFile | undefined,
  names: ReadonlyMap<unknown, unknown>,
): Fields {
  const { role, content, tool_calls: calls, tool_call_id: id } = message
  if (role === 'tool') {
    const response = { name: names.get(id), response: { result: content } }
    return { role: 'user', parts: [{ functionResponse: response }] }
  }
  if (Array.isArray(calls))
    return {
      role: 'model',
      parts: [
        ...(content ? [{ text: content }] : []),
        ...listOf(calls).map((call) => ({ functionCall: calledOf(call, 'args') })),
      ],
    }
  const parts = Array.isArray(content)
    ? listOf(content).map((part) =>
        part['type'] === 'text'
          ? { text: part['text'] }
          : { inlineData: { mimeType: file?.type, data: fileMark } },
      )
    : [{ text: content }]
  return { role: role === 'assistant' ? 'model' : 'user', parts }
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function functionsOf(tools: readonly unknown[]): readonly Fields[] {
  return listOf(tools).flatMap(({ function: one }) => (isFields(one) ? [one] : []))
}

/** The name of a tool call and its arguments, in the field that the format uses for them. */
function calledOf(call: Fields, field: 'input' | 'args'): Fields {
  const called = isFields(call['function']) ? call['function'] : {}
  return { name: called['name'], [field]: parsed(called['arguments']) }
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return {}
  }
}

function schemaOf(format: unknown): unknown {
  if (!isFields(format)) return undefined
  const { json_schema: named } = format
  return isFields(named) ? named['schema'] : undefined
}
