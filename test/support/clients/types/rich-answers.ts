/** Responses of every kind of upstream with what its models can say: reasoning, signatures, calls, citations, images. */
import {
  answerMessage,
  anthropicMessage,
  thinkingBlock,
  toolUse,
} from '../../fakes/anthropic-wire.ts'
import type { Answering } from '../../fakes/fake-upstream.ts'
import { answerContent } from '../../fakes/gemini-wire.ts'
import * as serverTools from '../../fakes/server-tool-answers.ts'

const said = 'Emperor penguins are tall.'
const page = { url: 'https://example.com/p', title: 'Penguins' }
const png = 'iVBORw0KGgo='

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`

const citations = [
  {
    type: 'web_search_result_location',
    cited_text: 'tall',
    encrypted_index: 'Eo8B',
    ...page,
  },
  {
    type: 'char_location',
    cited_text: 'Emperors',
    document_index: 0,
    document_title: 'Birds',
    start_char_index: 0,
    end_char_index: 8,
    file_id: null,
  },
]
const claude =
  (content: Parameters<typeof anthropicMessage>[0], further: object = {}): Answering =>
  (seen, response) =>
    answerMessage(seen, response, anthropicMessage(content, further))

const anthropic = {
  'interleaved thinking and calls': claude([
    thinkingBlock('First a.', 'c2lnbmVkLWE='),
    { type: 'redacted_thinking', data: 'EmwK' },
    { type: 'text', text: 'Reading.' },
    thinkingBlock('Really a.', 'c2lnbmVkLWI='),
    toolUse('toolu_1', 'now', {}),
    thinkingBlock('Then b.', 'c2lnbmVkLWM='),
    toolUse('toolu_2', 'now', {}),
  ]),
  'a plain text, cited': claude([{ type: 'text', text: said, citations }]),
  'a refusal': claude([{ type: 'text', text: 'No.' }], {
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: null, explanation: 'No.' },
  }),
  'a stop sequence': claude([{ type: 'text', text: 'One' }], {
    stop_reason: 'stop_sequence',
    stop_sequence: ',',
  }),
  'its own tools': serverTools.claude,
}

const candidate = (parts: readonly object[], further: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...further }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
  modelVersion: 'gemini-3-pro-preview',
  responseId: 'r1',
})
const google = (body: object) => serverTools.either(body, [data(body)])
const gemini = {
  'a signed text': (seen, response) =>
    answerContent(seen, response, [{ text: said, thoughtSignature: 'c2ln' }]),
  'thoughts, texts and calls': (seen, response) =>
    answerContent(seen, response, [
      { text: 'Hm.', thought: true },
      { text: 'Look. ', thoughtSignature: 'c2lnMQ==' },
      { text: 'Here.', thoughtSignature: 'c2lnMg==' },
      { functionCall: { name: 'now', args: {} }, thoughtSignature: 'c2lnMw==' },
      { functionCall: { name: 'now', args: {} } },
    ]),
  'signed pictures': google(
    candidate([
      { text: 'Two:' },
      { inlineData: { mimeType: 'image/png', data: png }, thoughtSignature: 'c2lnMQ==' },
      { inlineData: { mimeType: 'image/png', data: png }, thoughtSignature: 'c2lnMg==' },
    ]),
  ),
  'pages and documents': google(
    candidate([{ text: said }], {
      groundingMetadata: {
        webSearchQueries: ['penguins'],
        groundingChunks: [
          { web: { uri: page.url, title: page.title } },
          { retrievedContext: { uri: 'gs://b/birds.txt', title: 'Birds', text: 'Emperors' } },
        ],
        groundingSupports: [
          {
            segment: { startIndex: 0, endIndex: 16, text: 'Emperor penguins' },
            groundingChunkIndices: [0, 1],
          },
        ],
      },
    }),
  ),
  'what a filter stopped': google(candidate([], { finishReason: 'SAFETY' })),
  'its own tools': serverTools.gemini,
} satisfies Readonly<Record<string, Answering>>

const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 14,
}
function responded(output: readonly object[]): Answering {
  const whole = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output, usage }
  return serverTools.either(whole, [
    data({ type: 'response.created', response: { ...whole, output: [], status: 'in_progress' } }),
    ...output.flatMap((item, index) => [
      data({ type: 'response.output_item.added', output_index: index, item }),
      data({ type: 'response.output_item.done', output_index: index, item }),
    ]),
    data({ type: 'response.completed', response: whole }),
  ])
}
const reasoning = (id: string, ...words: readonly string[]) => ({
  type: 'reasoning',
  id,
  summary: words.map((text) => ({ type: 'summary_text', text })),
  encrypted_content: `gAAAA_${id}`,
})
const calling = (id: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'now',
  arguments: '{}',
  status: 'completed',
})
const spoken = (...content: readonly object[]) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content,
})
const openaiResponses = {
  'encrypted reasoning before a text': responded([
    reasoning('rs_1'),
    spoken({ type: 'output_text', text: said, annotations: [] }),
  ]),
  'reasoning between calls': responded([
    reasoning('rs_1', 'First.'),
    calling('call_1'),
    reasoning('rs_2'),
    calling('call_2'),
  ]),
  'citations and a picture': responded([
    spoken({
      type: 'output_text',
      text: said,
      annotations: [
        { type: 'url_citation', start_index: 0, end_index: 16, ...page },
        { type: 'file_citation', file_id: 'file_1', filename: 'report.pdf', index: 16 },
        {
          type: 'container_file_citation',
          container_id: 'cntr_1',
          file_id: 'cfile_1',
          filename: 'plot.csv',
          start_index: 0,
          end_index: 16,
        },
      ],
    }),
    {
      type: 'image_generation_call',
      id: 'ig_1',
      status: 'completed',
      output_format: 'png',
      result: png,
    },
  ]),
  'a refusal': responded([spoken({ type: 'refusal', refusal: 'No.' })]),
  'its own tools': serverTools.openai,
}

const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'm' }
const counts = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 }
function completed(message: object, finish: string): Answering {
  const { tool_calls: calls, ...rest } = message as { tool_calls?: readonly object[] }
  const delta = {
    role: 'assistant',
    ...rest,
    ...(calls && { tool_calls: calls.map((call, index) => ({ index, ...call })) }),
  }
  const choice = { index: 0, finish_reason: null, logprobs: null }
  return serverTools.either(
    {
      ...completion,
      choices: [
        {
          ...choice,
          message: { role: 'assistant', content: null, ...message },
          finish_reason: finish,
        },
      ],
      usage: counts,
    },
    [
      data({ ...completion, choices: [{ ...choice, delta }] }),
      data({ ...completion, choices: [{ ...choice, delta: {}, finish_reason: finish }] }),
      data({ ...completion, choices: [], usage: counts }),
      'data: [DONE]\n\n',
    ],
  )
}
const openai = {
  'OpenRouter’s details and a call': completed(
    {
      reasoning: 'Hm.',
      reasoning_details: [
        {
          type: 'reasoning.text',
          text: 'Hm.',
          signature: 'c2ln',
          format: 'anthropic-claude-v1',
          index: 0,
        },
        { type: 'reasoning.encrypted', data: 'b2s=', id: 'rs_1', index: 1 },
      ],
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } }],
    },
    'tool_calls',
  ),
  'reasoning, a picture and a page': completed(
    {
      content: said,
      reasoning_content: 'Hm.',
      images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }],
      annotations: [
        { type: 'url_citation', url_citation: { start_index: 0, end_index: 16, ...page } },
      ],
    },
    'stop',
  ),
  'a refusal': completed({ refusal: 'No.' }, 'stop'),
  'Google’s signatures': completed(
    {
      content: said,
      extra_content: { google: { thought_signature: 'c2ln' } },
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'now', arguments: '{}' },
          extra_content: { google: { thought_signature: 'c2lnMg==' } },
        },
      ],
    },
    'tool_calls',
  ),
}

const cohereEnd = {
  finish_reason: 'COMPLETE',
  usage: { tokens: { input_tokens: 9, output_tokens: 5 } },
}
const cited = {
  start: 0,
  end: 16,
  text: 'Emperor penguins',
  sources: [{ type: 'document', id: 'd', document: { title: 'Birds', snippet: 'Emperors' } }],
  type: 'TEXT_CONTENT',
}
const cohere = {
  'a text with its sources': serverTools.either(
    {
      id: 'c',
      message: { content: [{ type: 'text', text: said }], citations: [cited] },
      ...cohereEnd,
    },
    [
      data({ type: 'message-start', delta: { message: { role: 'assistant' } } }),
      data({ type: 'content-delta', index: 0, delta: { message: { content: { text: said } } } }),
      data({ type: 'citation-start', index: 0, delta: { message: { citations: cited } } }),
      data({ type: 'message-end', delta: cohereEnd }),
    ],
  ),
}

export const richAnswers: Readonly<
  Record<
    'anthropic' | 'gemini' | 'openai' | 'openai-responses' | 'cohere',
    Readonly<Record<string, Answering>>
  >
> = { anthropic, gemini, openai, 'openai-responses': openaiResponses, cohere }
