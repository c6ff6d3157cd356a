import { type CodeFile, fileMark } from './code-literals.ts'
import { type Fields, isFields, parseJson } from '../../parts/fields.ts'

// Translates a chat of the playground for the clients of other APIs. Undefined if the API cannot express its content.

/** The Messages API requires a maximum number of output tokens. */
const usualMaxTokens = 1_024

/** The request for `messages.create` of the Anthropic packages. */
export function messagesRequest(body: Fields, file?: CodeFile): Fields | undefined {
  if (body['audio'] !== undefined || file?.type.startsWith('audio/')) return undefined
  const { limit, system, turns, functions, schema } = partsOf(body)
  return {
    model: body['model'],
    max_tokens: limit ?? usualMaxTokens,
    system,
    messages: turns.map((message) => anthropicMessage(message, file)),
    tools: functions?.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters ?? { type: 'object' },
    })),
    output_config: schema && { format: { type: 'json_schema', schema } },
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
  if (body['audio'] !== undefined) return undefined
  const { limit, system, turns, functions, schema } = partsOf(body)
  const calls = turns.flatMap((turn) => listOf(turn['tool_calls']))
  const names = new Map(calls.map((call) => [call['id'], calledOf(call, 'args').name]))
  const config = {
    systemInstruction: system,
    maxOutputTokens: limit,
    tools: functions && [
      {
        functionDeclarations: functions.map(({ name, description, parameters }) => ({
          name,
          description,
          parametersJsonSchema: parameters,
        })),
      },
    ],
    responseMimeType: schema && 'application/json',
    responseJsonSchema: schema,
  }
  const isSet = Object.values(config).some((value) => value !== undefined)
  return {
    model: body['model'],
    contents: turns.map((message) => geminiContent(message, file, names)),
    config: isSet ? config : undefined,
  }
}

/** The request for `models.embedContent` of the genai packages, which take texts. */
export function embedRequest({ model, input }: Fields): Fields | undefined {
  return typeof input === 'string' ? { model, contents: [input] } : undefined
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

/** The request for `rerank` of Cohere's JavaScript package. */
export function rerankRequest({ top_n: topN, ...rest }: Fields): Fields {
  return { ...rest, topN }
}

/** What the formats name differently; undefined if it is not given. */
function partsOf(body: Fields) {
  const { max_completion_tokens: limit, tools, response_format: format } = body
  const messages = listOf(body['messages'])
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  const named = isFields(format) ? format['json_schema'] : undefined
  return {
    limit,
    system: system.length > 0 ? system.join('\n') : undefined,
    turns: messages.filter(({ role }) => role !== 'system'),
    functions: Array.isArray(tools)
      ? listOf(tools).flatMap(({ function: one }) => (isFields(one) ? [one] : []))
      : undefined,
    schema: isFields(named) ? named['schema'] : undefined,
  }
}

/** The name of a tool call and its arguments, in the field that the format uses for them. */
function calledOf(call: Fields, field: 'input' | 'args'): Fields {
  const called = isFields(call['function']) ? call['function'] : {}
  return { name: called['name'], [field]: parseJson(String(called['arguments'])) ?? {} }
}
