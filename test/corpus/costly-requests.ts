// Requests in form that cost much to translate, to explain or to work out, though their bodies are quickly parsed.
import type { Upstream } from './large-answers.ts'

interface CostlyRequest {
  readonly name: string
  /** Which upstream is asked. */
  readonly up: Upstream
  readonly path: string
  /** Without the model, unless it is another one. */
  readonly body: () => object
  /** So many attempts are refused with 503 before one is answered. */
  readonly refusals?: number
  readonly status: 200 | 400 | 413
}

const megabyte = 1024 * 1024
const many = <T>(count: number, item: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => item(index))
const question = { role: 'user', content: 'Hi' }
const chat = '/v1/chat/completions'
const builtIn = { model: 'builtin-chat', messages: [question] }

/** An answer that is so many calls. */
const calling = (count: number, id: (index: number) => string) => ({
  role: 'assistant',
  content: null,
  tool_calls: many(count, (index) => ({
    id: id(index),
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  })),
})

/** A conversation with one call and its result. */
const called = (input: string, content: unknown) => ({
  messages: [
    question,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: input } }],
    },
    { role: 'tool', tool_call_id: 'c', content },
  ],
})
const lists = (bytes: number): string => `{"a":[${'[],'.repeat(bytes / 3)}0]}`
const schema = (value: object) => ({
  ...builtIn,
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'x', schema: { type: 'object', required: ['a'], ...value } },
  },
})

export const costlyRequests: readonly CostlyRequest[] = [
  // What is left out and named.
  {
    name: 'ten thousand fields that no schema lists',
    up: 'gemini',
    path: chat,
    body: () => ({
      messages: many(10_000, (index) => ({
        role: 'user',
        content: [{ type: 'text', text: 'a', [`extra_${index}`]: 1 }],
      })),
    }),
    status: 200,
  },
  {
    name: 'such fields beside pictures that a model drew',
    up: 'anthropic',
    path: chat,
    body: () => ({
      messages: many(5_000, (index) => ({
        role: 'assistant',
        content: 'a',
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } }],
        [`extra_${index}`]: 1,
      })),
    }),
    status: 200,
  },
  {
    name: 'a field of its own in each of fifteen thousand messages',
    up: 'anthropic',
    path: chat,
    body: () => ({
      messages: many(15_000, (index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: 'a',
        [`extra_${index}`]: 1,
      })),
    }),
    status: 200,
  },
  {
    name: 'fifty thousand fields of the request',
    up: 'gemini',
    path: chat,
    body: () => ({
      messages: [question],
      ...Object.fromEntries(many(50_000, (index) => [`extra_${index}`, 1])),
    }),
    status: 200,
  },
  // Calls and their results, which belong together by their ids.
  ...(['gemini', 'anthropic'] as const).map((up) => ({
    name: `calls without results for ${up}`,
    up,
    path: chat,
    body: () => ({ messages: [question, calling(9_000, (index) => `c${index}`)] }),
    status: 200 as const,
  })),
  {
    name: 'calls of whose ids no letter can be said',
    up: 'anthropic',
    path: chat,
    body: () => ({ messages: [question, calling(9_000, () => 'é')] }),
    status: 200,
  },
  {
    name: 'results among system messages',
    up: 'gemini',
    path: chat,
    body: () => ({
      messages: [
        question,
        calling(4_000, (index) => `c${index}`),
        ...many(4_000, (index) => [
          { role: 'tool', tool_call_id: `c${index}`, content: 'ok' },
          { role: 'system', content: 'a' },
        ]).flat(),
      ],
    }),
    status: 200,
  },
  {
    name: 'system messages behind a question',
    up: 'gemini',
    path: chat,
    body: () => ({
      messages: [question, ...many(18_000, () => ({ role: 'system', content: 'a' }))],
    }),
    status: 200,
  },
  {
    name: 'results in another order than their calls',
    up: 'anthropic',
    path: '/v1beta/models/anthropic%2Fm:generateContent',
    body: () => ({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        {
          role: 'model',
          parts: many(7_000, (index) => ({ functionCall: { name: `f${index}`, args: {} } })),
        },
        {
          role: 'user',
          parts: many(7_000, (index) => ({
            functionResponse: { name: `f${6_999 - index}`, response: {} },
          })),
        },
      ],
    }),
    status: 200,
  },
  {
    name: 'a picture between blanks',
    up: 'gemini',
    path: chat,
    body: () => ({
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'image_url',
              image_url: { url: `data:image/png;base64,${'aGkh\n '.repeat(7 * megabyte)}` },
            },
          ],
        },
      ],
    }),
    status: 200,
  },
  {
    name: 'a file whose name has 20 MB',
    up: 'amazon-bedrock',
    path: chat,
    body: () => {
      const filename = `${'a/../'.repeat(4 * megabyte)}.pdf`
      const file = { filename, file_data: 'data:application/pdf;base64,aGkh' }
      return { messages: [{ role: 'user', content: [{ type: 'file', file }] }] }
    },
    status: 200,
  },
  // JSON inside of texts.
  ...(['gemini', 'anthropic'] as const).map((up) => ({
    name: `arguments of millions of values for ${up}`,
    up,
    path: chat,
    body: () => called(lists(24 * megabyte), 'ok'),
    status: 413 as const,
  })),
  {
    name: 'such arguments of a server’s tool',
    up: 'gemini',
    path: '/v1/responses',
    body: () => ({
      input: [
        question,
        {
          type: 'mcp_call',
          id: 'm',
          name: 'f',
          server_label: 's',
          arguments: lists(24 * megabyte),
        },
        question,
      ],
    }),
    status: 413,
  },
  {
    name: 'a result of millions of values',
    up: 'gemini',
    path: chat,
    body: () => called('{}', lists(24 * megabyte)),
    status: 413,
  },
  {
    name: 'such a result in parts',
    up: 'gemini',
    path: chat,
    body: () =>
      called('{}', [
        { type: 'text', text: '{"a":[' },
        { type: 'text', text: lists(24 * megabyte).slice(6) },
      ]),
    status: 413,
  },
  {
    name: 'a result that is a large table',
    up: 'gemini',
    path: chat,
    body: () => called('{}', 'a,b,'.repeat(4 * megabyte)),
    status: 200,
  },
  {
    name: 'arguments with a large file',
    up: 'anthropic',
    path: chat,
    body: () => called(JSON.stringify({ text: 'ab\n"'.repeat(2 * megabyte) }), 'ok'),
    status: 200,
  },
  {
    name: 'escapes for an upstream of the same format',
    up: 'openai',
    path: chat,
    body: () => ({ messages: [{ role: 'user', content: '"'.repeat(16 * megabyte) }] }),
    status: 200,
  },
  {
    name: 'escapes that are sent again',
    up: 'openai',
    path: chat,
    body: () => ({
      messages: [
        { role: 'user', content: '"'.repeat(15 * megabyte) },
        { role: 'user', content: '\u0001'.repeat(5 * megabyte) },
      ],
    }),
    refusals: 1,
    status: 200,
  },
  // What is wrong with a large request.
  {
    name: 'a mistake behind a long text',
    up: 'openai',
    path: chat,
    body: () => ({
      messages: [{ role: 'user', content: 'a'.repeat(30 * megabyte) }],
      temperature: 'warm',
    }),
    status: 400,
  },
  {
    name: 'a prompt far longer than it may be',
    up: 'openai',
    path: '/v1/images/generations',
    body: () => ({ prompt: 'a'.repeat(30 * megabyte) }),
    status: 400,
  },
  // The built-in engine.
  {
    name: 'a query of 4 MB',
    up: 'builtin',
    path: '/v1/rerank',
    body: () => ({
      model: 'builtin-rerank',
      query: 'a b '.repeat(megabyte),
      documents: many(1_000, (index) => `Document ${index}`),
    }),
    status: 200,
  },
  {
    name: 'documents of one run of characters without spaces',
    up: 'builtin',
    path: '/v1/rerank',
    body: () => ({
      model: 'builtin-rerank',
      query: '漢字',
      documents: ['漢'.repeat(megabyte), '字'.repeat(megabyte / 2)],
    }),
    status: 200,
  },
  {
    name: 'a list of a billion texts of a billion characters',
    up: 'builtin',
    path: chat,
    body: () =>
      schema({
        properties: {
          a: { type: 'array', minItems: 1e9, items: { type: 'string', minLength: 1e9 } },
        },
      }),
    status: 400,
  },
  {
    name: 'a schema of which each reference stands for two',
    up: 'builtin',
    path: chat,
    body: () => {
      const levels = many(30, (index) => {
        const next = { $ref: `#/$defs/d${index + 1}` }
        return [
          `d${index}`,
          { type: 'object', properties: { a: next, b: next }, required: ['a', 'b'] },
        ]
      })
      const definitions = Object.fromEntries([...levels, ['d30', { type: 'string' }]]) as object
      return schema({ properties: { a: { $ref: '#/$defs/d0' } }, $defs: definitions })
    },
    status: 400,
  },
  {
    name: 'a prompt of 60 MB',
    up: 'builtin',
    path: chat,
    body: () => ({
      ...builtIn,
      messages: [{ role: 'user', content: 'x y '.repeat(15 * megabyte) }],
    }),
    status: 400,
  },
  {
    name: 'a text of 60 MB to complete',
    up: 'builtin',
    path: '/v1/completions',
    body: () => ({ model: 'builtin-chat', prompt: 'x y '.repeat(15 * megabyte) }),
    status: 400,
  },
]
