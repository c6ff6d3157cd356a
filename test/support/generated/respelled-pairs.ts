/** Requests that use the field names of related formats, and the same requests in the format's own names. */
type Fields = Readonly<Record<string, unknown>>

/** The request as written, and the same in the format's own form. */
export type Pair = readonly [name: string, written: Fields, plain: Fields]

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pictureUrl = `data:image/png;base64,${picture}`
export const user = (content: unknown) => ({ role: 'user', content })
const parameters = { type: 'object', properties: { a: { type: 'integer' } } }
export const tools = [{ type: 'function', function: { name: 'now', description: 'd', parameters } }]
const called = (given: unknown) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: given } }],
})
const result = { role: 'tool', tool_call_id: 'c1', content: 'noon' }
export const asked = { messages: [user('a')], tools }
const schema = { type: 'object', properties: {}, required: [], additionalProperties: false }

export const chat: readonly Pair[] = [
  ...(['auto', 'none', 'required'] as const).map(
    (type): Pair => [
      `choice ${type} as an object`,
      { ...asked, tool_choice: { type } },
      { ...asked, tool_choice: type },
    ],
  ),
  ['choice any', { ...asked, tool_choice: 'any' }, { ...asked, tool_choice: 'required' }],
  [
    'choice of Anthropic, one call at a time',
    { ...asked, tool_choice: { type: 'tool', name: 'now', disable_parallel_tool_use: true } },
    {
      ...asked,
      tool_choice: { type: 'function', function: { name: 'now' } },
      parallel_tool_calls: false,
    },
  ],
  [
    'arguments as an object',
    { messages: [user('a'), called({ a: 1 }), result], tools },
    { messages: [user('a'), called('{"a":1}'), result], tools },
  ],
  [
    'arguments null',
    { messages: [user('a'), called(null), result], tools },
    { messages: [user('a'), called('{}'), result], tools },
  ],
  [
    'tools of Anthropic and of Responses',
    {
      messages: [user('a')],
      tools: [
        { name: 'now', description: 'd', input_schema: parameters },
        { type: 'function', name: 'then', parameters },
        { type: 'custom', name: 'patch', description: 'p' },
      ],
    },
    {
      messages: [user('a')],
      tools: [
        ...tools,
        { type: 'function', function: { name: 'then', parameters } },
        { type: 'custom', custom: { name: 'patch', description: 'p' } },
      ],
    },
  ],
  [
    'blocks of Anthropic',
    {
      messages: [
        user([
          { type: 'text', text: 'a' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
        ]),
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'let me see' },
            { type: 'tool_use', id: 'c1', name: 'now', input: { a: 1 } },
          ],
        },
        user([
          { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'noon' }] },
          { type: 'text', text: 'go on' },
        ]),
      ],
      tools,
    },
    {
      messages: [
        user([
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: pictureUrl } },
        ]),
        { ...called('{"a":1}'), content: 'let me see' },
        { tool_call_id: 'c1', role: 'tool', content: 'noon' },
        user([{ type: 'text', text: 'go on' }]),
      ],
      tools,
    },
  ],
  [
    'parts of Responses, a picture by its address',
    {
      messages: [
        user([
          { type: 'input_text', text: 'a' },
          { type: 'input_image', image_url: pictureUrl, detail: 'low' },
          { type: 'image_url', image_url: pictureUrl },
          { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,SGk=' },
        ]),
        { role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
        user('c'),
      ],
    },
    {
      messages: [
        user([
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: pictureUrl, detail: 'low' } },
          { type: 'image_url', image_url: { url: pictureUrl } },
          {
            type: 'file',
            file: { filename: 'a.txt', file_data: 'data:text/plain;base64,SGk=' },
          },
        ]),
        { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
        user('c'),
      ],
    },
  ],
  [
    'a whole request of Responses',
    {
      instructions: 's',
      input: [
        user([{ type: 'input_text', text: 'a' }]),
        { type: 'function_call', call_id: 'c1', name: 'now', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'noon' },
      ],
      tools: [{ type: 'function', name: 'now', description: 'd', parameters, strict: false }],
      reasoning: { effort: 'low' },
      max_output_tokens: 50,
      text: { format: { type: 'json_schema', name: 'x', schema } },
    },
    {
      messages: [
        { role: 'system', content: 's' },
        user('a'),
        called('{}'),
        { role: 'tool', tool_call_id: 'c1', content: 'noon' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'now', description: 'd', parameters, strict: false },
        },
      ],
      reasoning_effort: 'low',
      max_completion_tokens: 50,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    },
  ],
  [
    'a schema without its wrap',
    { messages: [user('a')], response_format: { type: 'json_schema', name: 'x', schema } },
    {
      messages: [user('a')],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    },
  ],
]

const toolUse = (input: unknown) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'now', input }],
})
const toolResult = (further: Fields) =>
  user([{ type: 'tool_result', tool_use_id: 'toolu_1', ...further }])
const claudeTools = [{ name: 'now', input_schema: parameters }]
export const messages: readonly Pair[] = [
  ...(
    [
      ['input null', null, {}],
      ['input as text', '{"a":1}', { a: 1 }],
    ] as const
  ).map(
    ([name, written, plain]): Pair => [
      name,
      { messages: [user('a'), toolUse(written), toolResult({ content: 'x' })], tools: claudeTools },
      { messages: [user('a'), toolUse(plain), toolResult({ content: 'x' })], tools: claudeTools },
    ],
  ),
  [
    'result null',
    { messages: [user('a'), toolUse({}), toolResult({ content: null })], tools: claudeTools },
    { messages: [user('a'), toolUse({}), toolResult({})], tools: claudeTools },
  ],
  [
    'a block alone, texts for blocks, and the choice as a word',
    {
      messages: [user({ type: 'text', text: 'a' })],
      system: ['s'],
      tools: claudeTools,
      tool_choice: 'required',
    },
    {
      messages: [user([{ type: 'text', text: 'a' }])],
      system: [{ type: 'text', text: 's' }],
      tools: claudeTools,
      tool_choice: { type: 'any' },
    },
  ],
  [
    'no thinking, with a budget',
    { messages: [user('a')], thinking: { type: 'disabled', budget_tokens: 0 } },
    { messages: [user('a')], thinking: { type: 'disabled' } },
  ],
]

const item = (further: Fields) => [
  { role: 'user', content: 'a' },
  { type: 'function_call', call_id: 'c1', name: 'now', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c1', ...further },
]
export const responses: readonly Pair[] = [
  ['an item alone', { input: user('a') }, { input: [user('a')] }],
  [
    'output as an object',
    { input: item({ output: { a: 1 } }) },
    { input: item({ output: '{"a":1}' }) },
  ],
  [
    'parts of chat',
    {
      input: [
        user([
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: pictureUrl, detail: 'low' } },
        ]),
      ],
    },
    {
      input: [
        user([
          { type: 'input_text', text: 'a' },
          { type: 'input_image', image_url: pictureUrl, detail: 'low' },
        ]),
      ],
    },
  ],
]

const content = (...parts: readonly unknown[]) => ({ role: 'user', parts })
const answered = (response: unknown) => [
  content({ text: 'a' }),
  { role: 'model', parts: [{ functionCall: { id: 'f1', name: 'now', args: {} } }] },
  content({ functionResponse: { id: 'f1', name: 'now', response } }),
]
export const generateContent: readonly Pair[] = [
  ['a text', { contents: 'a' }, { contents: [content({ text: 'a' })] }],
  ['texts', { contents: ['a', 'b'] }, { contents: [content({ text: 'a' }, { text: 'b' })] }],
  [
    'a content alone, with a part alone',
    {
      contents: { role: 'user', parts: { text: 'a' } },
      system_instruction: { parts: { text: 's' } },
    },
    { contents: [content({ text: 'a' })], system_instruction: { parts: [{ text: 's' }] } },
  ],
  [
    'an instruction that is a text, and an entry of tools alone',
    {
      contents: 'a',
      systemInstruction: 's',
      tools: { function_declarations: { name: 'now' } },
    },
    {
      contents: [content({ text: 'a' })],
      systemInstruction: { parts: [{ text: 's' }] },
      tools: [{ function_declarations: [{ name: 'now' }] }],
    },
  ],
  [
    'response as a text',
    { contents: answered('noon') },
    { contents: answered({ result: 'noon' }) },
  ],
  [
    'the role of OpenAI',
    {
      contents: [
        ...['a', 'b'].map((text) => content({ text })),
        { role: 'assistant', parts: [{ text: 'c' }] },
        content({ text: 'd' }),
      ],
    },
    {
      contents: [
        ...['a', 'b'].map((text) => content({ text })),
        { role: 'model', parts: [{ text: 'c' }] },
        content({ text: 'd' }),
      ],
    },
  ],
]
