// A field that nobody knows, anywhere in a request, reaches the upstream, is named as dropped, or refuses the request by its name.
import { GatewayError, type Operation, operations, validate } from '@sluice/contract'
import { describe, expect, it } from 'vitest'
import { codecContext, formatContext } from '../../../../test/support/codec-context.ts'
import { formats } from '../../src/formats.ts'
import { openaiServer } from '../../src/openai/index.ts'
import type { Codec } from '../../src/protocol.ts'
import { protocols } from '../../src/protocols.ts'

type Fields = Readonly<Record<string, unknown>>

const png = 'data:image/png;base64,iVBORw0KGgo='
const parameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'A city.' } },
  required: ['city'],
}
const cache = { type: 'ephemeral' }

/** Requests with every common part, block and item. */
const requests: Readonly<Record<string, readonly Fields[]>> = {
  chat: [
    {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be kind.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi', cache_control: cache },
            { type: 'image_url', image_url: { url: png, detail: 'low' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Hm',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'Sun' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'It is sunny.' }] },
        { role: 'user', content: 'Thanks' },
      ],
      tools: [{ type: 'function', function: { name: 'f', description: 'F.', parameters } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      stream_options: { include_usage: true },
      stream: true,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { ...parameters, additionalProperties: false } },
      },
    },
    {
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm' },
            { type: 'text', text: 'Ho' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          function_call: { name: 'f', arguments: '{}' },
        },
        { role: 'function', name: 'f', content: '1' },
      ],
      functions: [{ name: 'f', parameters }],
      function_call: { name: 'f' },
      web_search_options: { user_location: { type: 'approximate', approximate: { city: 'Bern' } } },
    },
  ],
  messages: [
    {
      model: 'm',
      max_tokens: 4000,
      system: [{ type: 'text', text: 'Be kind.', cache_control: cache }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
            },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hi' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
            { type: 'text', text: 'Ho' },
            { type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Bern' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'text', text: 'Sun' }],
            },
          ],
        },
      ],
      tools: [{ name: 'f', description: 'F.', input_schema: parameters }],
      tool_choice: { type: 'auto' },
      metadata: { user_id: 'u' },
      thinking: { type: 'enabled', budget_tokens: 2000 },
    },
  ],
  responses: [
    {
      model: 'm',
      instructions: 'Be kind.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hi' },
            { type: 'input_image', image_url: png, detail: 'low' },
          ],
        },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'Sun' },
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Ho', annotations: [] }],
        },
        { role: 'user', content: 'Thanks' },
      ],
      tools: [{ type: 'function', name: 'f', description: 'F.', parameters, strict: false }],
      tool_choice: { type: 'function', name: 'f' },
      reasoning: { effort: 'low' },
      text: {
        format: {
          type: 'json_schema',
          name: 'a',
          schema: { ...parameters, additionalProperties: false },
        },
      },
    },
  ],
  generateContent: [
    {
      model: 'm',
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
        },
        {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true },
            { text: 'Ho' },
            { functionCall: { id: 'c', name: 'f', args: { city: 'Bern' } } },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'c', name: 'f', response: { output: 'Sun' } } }],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'f', description: 'F.', parametersJsonSchema: parameters },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: { thinkingConfig: { includeThoughts: true }, temperature: 0.5 },
    },
  ],
}

const name = 'zzunknown'
const marker = 'marked-7'

/** The request with the field in each of its objects, with the place of the object. */
function* withUnknown(value: unknown, path = ''): Generator<readonly [string, unknown]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const [place, inner] of withUnknown(item, `${path}[${index}]`))
        yield [place, value.map((one, at) => (at === index ? inner : one))]
    return
  }
  if (typeof value !== 'object' || value === null) return
  yield [path, { ...value, [name]: marker }]
  for (const [key, item] of Object.entries(value))
    for (const [place, inner] of withUnknown(item, path === '' ? key : `${path}.${key}`))
      yield [place, { ...value, [key]: inner }]
}

const codecs = [...protocols, { ...openaiServer, id: 'a server of one’s own' }].flatMap(
  ({ id, codecs: own }) => (own.chat === undefined ? [] : [[id, own.chat] as const]),
)

/** What becomes of a request: what is sent, and the paths that are named. */
function outcomeOf(format: string, request: unknown, codec: Codec<'chat'>) {
  const client = formats.find(({ id }) => id === format)!
  const named: string[] = []
  const note = (param: string): void => void named.push(param)
  const noteCanonical = (param: string): void => note(client.paramOf?.(param, request) ?? '')
  try {
    validate(client.request, request)
    client.check?.(request)
    const canonical = client.toCanonical(
      request,
      formatContext({ unsupported: note, leftOut: note }),
    )
    const { request: schema }: Operation = operations.chat
    const chat = client.isOwn === true ? canonical : validate(schema, canonical)
    const sent = codec.encode(
      // The schemas have checked it.
      chat as never,
      codecContext({
        unsupported: noteCanonical,
        leftOut: noteCanonical,
        settings: { project: 'p' },
      }),
    )
    return { sent: JSON.stringify(sent), named }
  } catch (thrown) {
    const { param } = GatewayError.from(thrown).details
    if (param?.includes(name) !== true) throw thrown
    return { sent: '', named: [param] }
  }
}

/** Whether a path is that of the field, or of what holds it. */
function names(path: string, place: string): boolean {
  return (
    path.includes(name) ||
    place === path ||
    place.startsWith(`${path}.`) ||
    place.endsWith(`.${path}`)
  )
}

/** Inside of schemas, inputs and results a field is content. */
const isOwnText = /schema|parameters|\.input$|\.args|\.response$/i

describe.each(Object.entries(requests))('a %s request', (format, given) => {
  it.each(codecs)('loses nothing silently on its way to %s', (_, codec) => {
    const lost: string[] = []
    for (const request of given)
      for (const [place, unknown] of withUnknown(request)) {
        if (isOwnText.test(place)) continue
        const { sent, named } = outcomeOf(format, unknown, codec)
        if (!sent.includes(marker) && !named.some((path) => names(path, place))) lost.push(place)
      }
    expect(lost).toEqual([])
  })
})
