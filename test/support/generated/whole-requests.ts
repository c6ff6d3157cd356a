type Fields = Readonly<Record<string, unknown>>

const png = 'data:image/png;base64,iVBORw0KGgo='
const parameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'A city.' } },
  required: ['city'],
}
const cache = { type: 'ephemeral' }

/** Requests of chat formats with every common part, block and item. */
export const wholeRequests: Readonly<Record<string, readonly Fields[]>> = {
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
