// Requests whose size has to be bounded.
export const chatPath = '/v1/chat/completions'
export const messagesPath = '/v1/messages'
export const responsesPath = '/v1/responses'
export const geminiPath = (model: string) =>
  `/v1beta/models/${encodeURIComponent(model)}:generateContent`

const words = 'An ordinary sentence, once more. '.repeat(600)
const solid = 'a'.repeat(20_000)
const image = (url: string) => [{ type: 'image_url', image_url: { url } }]
const tool = (parameters: object) => [{ type: 'function', function: { name: 'f', parameters } }]
export const chat = (content: unknown, further: object = {}) => ({
  model: 'up/m',
  max_tokens: 10,
  messages: [{ role: 'user', content }],
  ...further,
})

/** Texts of any kind, which count with their bytes. */
export const texts: readonly (readonly [string, string, object])[] = [
  ['words behind the beginning of a data URL', chatPath, chat(`data:image/png ${words}`)],
  ['words behind a sound’s', chatPath, chat(`data:audio/wav ${words}`)],
  ['base64 in a text', chatPath, chat(`data:image/png;base64,${solid}`)],
  ['words in a picture’s place', chatPath, chat(image(`data:image/png;base64,${words}`))],
  ['words in a picture’s place, not as base64', chatPath, chat(image(`data:image/png,${words}`))],
  [
    'a plain text as a file',
    chatPath,
    chat([{ type: 'file', file: { file_data: `data:text/plain;base64,${solid}` } }]),
  ],
  [
    'names of a schema',
    chatPath,
    chat('Hi', {
      tools: tool(
        Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`a_long_name_of_${at}`, {}])),
      ),
    }),
  ],
  [
    'a property called file_url',
    chatPath,
    chat('Hi', { tools: tool({ properties: { file_url: { description: words } } }) }),
  ],
  [
    'a property called image',
    chatPath,
    chat('Hi', { tools: tool({ properties: { image: solid } }) }),
  ],
  [
    'a media type beside a text',
    chatPath,
    chat([{ type: 'text', text: solid, mime_type: 'image/png' }]),
  ],
  [
    'numbers as values',
    chatPath,
    chat('Hi', {
      tools: tool(
        Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`n${at}`, 123_456])),
      ),
    }),
  ],
  ['metadata', chatPath, chat('Hi', { metadata: { data: solid } })],
  ['an unknown field', chatPath, chat('Hi', { image_url: `data:image/png;base64,${solid}` })],
  [
    'a text source of a document',
    messagesPath,
    {
      model: 'claude/m',
      max_tokens: 10,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: solid } },
          ],
        },
      ],
    },
  ],
  [
    'a text block with a source',
    messagesPath,
    {
      model: 'claude/m',
      max_tokens: 10,
      messages: [
        { role: 'user', content: [{ type: 'text', text: `data:image/png;base64,${solid}` }] },
      ],
    },
  ],
  [
    'instructions',
    responsesPath,
    {
      model: 'resp/m',
      max_output_tokens: 10,
      input: 'Hi',
      instructions: `data:image/png;base64,${solid}`,
    },
  ],
  [
    'a text of a response’s input',
    responsesPath,
    {
      model: 'resp/m',
      max_output_tokens: 10,
      input: [{ role: 'user', content: [{ type: 'input_text', text: solid, image_url: null }] }],
    },
  ],
  [
    'inline text',
    geminiPath('google/m'),
    {
      generationConfig: { maxOutputTokens: 10 },
      contents: [{ parts: [{ inlineData: { mimeType: 'text/plain', data: solid } }] }],
    },
  ],
  ['prompts', '/v1/completions', { model: 'up/m', max_tokens: 10, prompt: [words, solid] }],
  [
    'texts to embed',
    '/v1/embeddings',
    { model: 'up/m', input: [words, `data:image/png;base64,${solid}`] },
  ],
]

/** More bytes than any provider counts tokens for a picture. */
const pixels = Buffer.alloc(90_000, 65).toString('base64')

export const pictures: readonly (readonly [string, string, object])[] = [
  ['chat', chatPath, chat(image(`data:image/png;base64,${pixels}`))],
  ['chat, by address', chatPath, chat(image('https://example.com/a.png'))],
  [
    'Messages, in the result of a tool',
    messagesPath,
    {
      model: 'claude/m',
      max_tokens: 10,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: [
                {
                  type: 'image',
                  source: { type: 'base64', media_type: 'image/png', data: pixels },
                },
              ],
            },
          ],
        },
      ],
    },
  ],
  [
    'Responses',
    responsesPath,
    {
      model: 'resp/m',
      max_output_tokens: 10,
      input: [
        {
          role: 'user',
          content: [{ type: 'input_image', image_url: `data:image/png;base64,${pixels}` }],
        },
      ],
    },
  ],
  [
    'Gemini, in snake case',
    geminiPath('google/m'),
    {
      generationConfig: { maxOutputTokens: 10 },
      contents: [{ parts: [{ inline_data: { mime_type: 'image/png', data: pixels } }] }],
    },
  ],
]

const input = 'Hi'
const file = (part: object) => ({ max_tokens: 10, messages: [{ role: 'user', content: [part] }] })
const gemini = { generationConfig: { maxOutputTokens: 10 } }

/** What is not in the request: a name, an address, a provider and the request. */
export const outside: readonly (readonly [string, string, string, object])[] = [
  [
    'a response',
    responsesPath,
    'resp',
    { max_output_tokens: 10, input, previous_response_id: 'resp_0' },
  ],
  [
    'a conversation',
    responsesPath,
    'resp',
    { max_output_tokens: 10, input, conversation: 'conv_0' },
  ],
  ['a prompt', responsesPath, 'resp', { max_output_tokens: 10, input, prompt: { id: 'pmpt_0' } }],
  [
    'an item',
    responsesPath,
    'resp',
    { max_output_tokens: 10, input: [{ type: 'item_reference', id: 'msg_0' }] },
  ],
  [
    'a file by address',
    responsesPath,
    'resp',
    {
      max_output_tokens: 10,
      input: [
        {
          role: 'user',
          content: [{ type: 'input_file', file_url: 'https://example.com/a.pdf' }],
        },
      ],
    },
  ],
  [
    'a document',
    chatPath,
    'up',
    file({ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0x' } }),
  ],
  [
    'an unlisted conversation',
    chatPath,
    'up',
    { max_tokens: 10, messages: [{ role: 'user', content: input }], conversation_id: 'c' },
  ],
  [
    'a cached content',
    geminiPath('google/m'),
    'google',
    { ...gemini, cachedContent: 'cachedContents/1', contents: [{ parts: [{ text: input }] }] },
  ],
  [
    'a file of Google',
    geminiPath('google/m'),
    'google',
    {
      ...gemini,
      contents: [
        { parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'https://example.com/v' } }] },
      ],
    },
  ],
  [
    'a document of Messages',
    messagesPath,
    'claude',
    file({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
  ],
]
