import fc from 'fast-check'
import { address, few, schema, sentences, text } from './request-hints.ts'

/** Valid bodies for every address that takes JSON. */

const turns = fc
  .tuple(
    fc.array(fc.record({ role: fc.constantFrom('user', 'assistant'), content: text }), {
      maxLength: 2,
    }),
    sentences.filter((sentence) => sentence.trim() !== ''),
  )
  .map(([before, last]) => [
    ...before.filter(({ content }) => content.trim() !== ''),
    { role: 'user', content: last },
  ])
const description = {
  name: fc.constantFrom('get_weather', 'sum', 'send_email'),
  description: sentences,
}
const sampling = {
  temperature: fc.constantFrom(0, 0.7, 1),
  top_p: fc.constantFrom(0, 0.5, 1),
  stream: fc.boolean(),
}
const question = sentences.filter((sentence) => sentence.trim() !== '')

/** Valid bodies by address: required fields, and sometimes optional ones. */
export const rightBodies: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  '/v1/chat/completions': fc.record(
    {
      model: fc.constant('builtin-chat'),
      messages: turns,
      tools: fc.array(
        fc.record({
          type: fc.constant('function'),
          function: fc.record({ ...description, parameters: fc.oneof(schema.filter(isObject)) }),
        }),
        { minLength: 1, maxLength: 2 },
      ),
      response_format: fc.record({
        type: fc.constant('json_schema'),
        json_schema: fc.record({ name: fc.constant('x'), schema: schema.filter(isObject) }),
      }),
      n: few,
      seed: fc.nat(),
      stop: fc.constantFrom('a', ['e', '\n']),
      max_tokens: fc.constantFrom(1, 7, 500),
      logprobs: fc.constant(true),
      ...sampling,
    },
    { requiredKeys: ['model', 'messages'] },
  ),
  '/v1/completions': fc.record(
    {
      model: fc.constant('builtin-chat'),
      prompt: fc.oneof(
        text,
        fc.array(question, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(50_000), { minLength: 1, maxLength: 9 }),
      ),
      max_tokens: fc.constantFrom(0, 1, 50, 1000),
      echo: fc.boolean(),
      logprobs: fc.nat(5),
      suffix: sentences,
      n: few,
      ...sampling,
    },
    { requiredKeys: ['model', 'prompt'] },
  ),
  '/v1/embeddings': fc.record(
    {
      model: fc.constant('builtin-embed'),
      input: fc.oneof(
        question,
        fc.array(question, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(50_000), { minLength: 1, maxLength: 9 }),
      ),
      encoding_format: fc.constantFrom('float', 'base64'),
      dimensions: fc.constantFrom(256, 777, 3072),
    },
    { requiredKeys: ['model', 'input'] },
  ),
  '/v1/rerank': fc.record(
    {
      model: fc.constant('builtin-rerank'),
      query: question,
      documents: fc.array(fc.oneof(text, fc.record({ text, title: sentences })), {
        minLength: 1,
        maxLength: 5,
      }),
      top_n: few,
      return_documents: fc.boolean(),
    },
    { requiredKeys: ['model', 'query', 'documents'] },
  ),
  '/v1/moderations': fc.record({
    input: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 })),
  }),
  '/v1/audio/speech': fc.record(
    {
      model: fc.constant('builtin-speech'),
      input: question,
      voice: fc.constantFrom('alloy', 'constructor', 'verse'),
      response_format: fc.constantFrom('mp3', 'wav', 'pcm'),
      speed: fc.constantFrom(0.25, 1, 4),
    },
    { requiredKeys: ['model', 'input'] },
  ),
  '/v1/images/generations': fc.record(
    {
      model: fc.constant('builtin-image'),
      prompt: question,
      size: fc.constantFrom('64x64', '128x96'),
      n: few,
      output_format: fc.constantFrom('png', 'jpeg', 'webp'),
      stream: fc.boolean(),
      partial_images: fc.nat(3),
    },
    { requiredKeys: ['model', 'prompt', 'size'] },
  ),
  '/v1/images/edits': fc.record({
    model: fc.constant('builtin-image'),
    input: fc.tuple(address, question).map(([image, words]) => ({
      messages: [{ role: 'user', content: [{ image }, { text: words }] }],
    })),
    parameters: fc.record(
      { n: few, negative_prompt: sentences, prompt_extend: fc.boolean(), watermark: fc.boolean() },
      { requiredKeys: [] },
    ),
  }),
  '/v1/videos': fc.record(
    {
      model: fc.constant('builtin-video'),
      prompt: question,
      seconds: fc.constantFrom('1', 2),
      size: fc.constantFrom('64x64', '128x96'),
    },
    { requiredKeys: ['model', 'prompt', 'size'] },
  ),
  '/v1/messages': fc.record(
    {
      model: fc.constant('builtin-chat'),
      max_tokens: fc.constantFrom(1, 100),
      messages: turns,
      system: question,
      tools: fc.array(
        fc.record({
          ...description,
          input_schema: fc.constant({ type: 'object', properties: { city: { type: 'string' } } }),
        }),
        { maxLength: 2 },
      ),
      stream: fc.boolean(),
    },
    { requiredKeys: ['model', 'max_tokens', 'messages'] },
  ),
  '/v1/responses': fc.record(
    {
      model: fc.constant('builtin-chat'),
      input: fc.oneof(question, turns),
      instructions: sentences,
      tools: fc.array(
        fc.record({
          type: fc.constant('function'),
          ...description,
          parameters: schema.filter(isObject),
        }),
        { maxLength: 2 },
      ),
      tool_choice: fc.constant('auto'),
      max_output_tokens: fc.constantFrom(16, 300),
      store: fc.boolean(),
      stream: fc.boolean(),
    },
    { requiredKeys: ['model', 'input'] },
  ),
  generateContent: fc.record(
    {
      contents: turns.map((all) =>
        all.map(({ role, content }) => ({
          role: role === 'user' ? 'user' : 'model',
          parts: [{ text: content }],
        })),
      ),
      systemInstruction: question.map((words) => ({ parts: [{ text: words }] })),
      generationConfig: fc.record(
        {
          maxOutputTokens: fc.constantFrom(1, 100),
          candidateCount: few,
          responseMimeType: fc.constantFrom('text/plain', 'application/json'),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['contents'] },
  ),
  embedContent: question.map((words) => ({ content: { parts: [{ text: words }] } })),
  batchEmbedContents: question.map((words) => ({
    requests: [{ model: 'models/builtin-embed', content: { parts: [{ text: words }] } }],
  })),
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
