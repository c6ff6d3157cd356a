// Citations reach every client format from every upstream that sends them.
import { expect, test } from 'vitest'
import { ask, chatOnly, type Face, faces } from '../../support/clients/client-formats.ts'
import { type Answering, json, sse } from '../../support/fakes/fake-upstream.ts'
import { citationsIn } from '../../support/formats/citations-in.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const said = 'Emperor penguins are tall.'
const page = { url: 'https://example.com/p', title: 'Penguins' }

type Upstream = Parameters<typeof inFrontOf>[0]

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${value.type}\n${data(value)}`

function either(whole: object, events: readonly string[]): Answering {
  return ({ body, path }, response) =>
    body['stream'] === true || path.includes('stream')
      ? sse(response, [...events])
      : json(response, whole)
}

const document = {
  type: 'document',
  id: 'doc_0',
  document: { title: 'Tall penguins', snippet: 'Emperors are the tallest.' },
}
const result = { type: 'tool', id: 'search_0:0', tool_output: page }
const cited = [
  { start: 0, end: 16, text: 'Emperor penguins', sources: [document], type: 'TEXT_CONTENT' },
  { start: 21, end: 25, text: 'tall', sources: [result], content_index: 0 },
]
const cohereEnd = {
  finish_reason: 'COMPLETE',
  usage: { tokens: { input_tokens: 9, output_tokens: 5 } },
}
const cohere = either(
  { id: 'c', message: { content: [{ type: 'text', text: said }], citations: cited }, ...cohereEnd },
  [
    data({ type: 'message-start', delta: { message: { role: 'assistant' } } }),
    data({
      type: 'content-start',
      index: 0,
      delta: { message: { content: { type: 'text', text: '' } } },
    }),
    data({ type: 'content-delta', index: 0, delta: { message: { content: { text: said } } } }),
    ...cited.map((citations, index) =>
      data({ type: 'citation-start', index, delta: { message: { citations } } }),
    ),
    data({ type: 'content-end', index: 0 }),
    data({ type: 'message-end', delta: cohereEnd }),
  ],
)

const response = (annotations: readonly object[]) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'm',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: said, annotations }],
    },
  ],
  usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
})
function responses(annotations: readonly object[]): Answering {
  const whole = response(annotations)
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  return either(whole, [
    named({ type: 'response.created', response: { ...whole, output: [], status: 'in_progress' } }),
    named({ type: 'response.output_text.delta', ...place, delta: said }),
    ...annotations.map((annotation) =>
      named({ type: 'response.output_text.annotation.added', ...place, annotation }),
    ),
    named({ type: 'response.completed', response: whole }),
  ])
}

const candidate = (groundingMetadata: object) => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: said }] },
      finishReason: 'STOP',
      groundingMetadata,
    },
  ],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5 },
})
const gemini = (metadata: object) => either(candidate(metadata), [data(candidate(metadata))])

const choice = { index: 0, finish_reason: 'stop' }
const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'm' }
const openai = (content: unknown, beside: object = {}) =>
  either(
    { ...completion, choices: [{ ...choice, message: { role: 'assistant', content } }], ...beside },
    [
      data({ ...completion, choices: [{ index: 0, delta: { role: 'assistant', content } }] }),
      data({ ...completion, choices: [{ ...choice, delta: {} }] }),
      data({ ...completion, choices: [], ...beside }),
      'data: [DONE]\n\n',
    ],
  )

const file = { type: 'file_citation', file_id: 'file_1', filename: 'report.pdf', index: 16 }
const inContainer = {
  type: 'container_file_citation',
  container_id: 'cntr_1',
  file_id: 'cfile_1',
  filename: 'plot.csv',
  start_index: 0,
  end_index: 16,
}

/** Where each format tells of a page and of a file. */
const toldAs: Readonly<
  Record<Face, (what: { readonly page?: object; readonly file?: object }) => object>
> = {
  chat: (what) =>
    what.page
      ? { type: 'url_citation', url_citation: expect.objectContaining(what.page) }
      : { type: expect.stringContaining('file_citation') },
  messages: (what) =>
    what.page
      ? { type: 'web_search_result_location', ...what.page }
      : { type: 'search_result_location', ...what.file },
  responses: (what) =>
    what.page
      ? { type: 'url_citation', ...what.page, end_index: expect.any(Number) }
      : { type: expect.stringContaining('file_citation'), file_id: expect.any(String) },
  generateContent: (what) =>
    what.page
      ? { web: { uri: page.url, title: expect.any(String) } }
      : { retrievedContext: expect.objectContaining(what.file) },
}

const sources: Readonly<
  Record<string, readonly [Upstream, Answering, readonly { page?: object; file?: object }[]]>
> = {
  'documents and results of tools, from Cohere': [
    'cohere',
    cohere,
    [{ file: { title: 'Tall penguins' } }, { page }],
  ],
  'files that were searched, and those of a container, from OpenAI': [
    'openai-responses',
    responses([
      file,
      inContainer,
      { type: 'url_citation', ...page, start_index: 0, end_index: 16 },
    ]),
    [{ file: { title: 'report.pdf' } }, { file: { title: 'plot.csv' } }, { page }],
  ],
  'what a retrieval found and a page, from Gemini': [
    'gemini',
    gemini({
      groundingChunks: [
        { retrievedContext: { title: 'report.pdf', text: 'Emperors are tall.' } },
        { web: { uri: page.url, title: page.title } },
      ],
      groundingSupports: [
        { segment: { endIndex: 16 }, groundingChunkIndices: [0] },
        { segment: { startIndex: 21, endIndex: 25 }, groundingChunkIndices: [1] },
      ],
    }),
    [{ file: { title: 'report.pdf' } }, { page }],
  ],
  'citations beside the answer, from xAI': [
    'openai',
    openai(said, { citations: [page.url] }),
    [{ page: { url: page.url } }],
  ],
  'results beside the answer, from Perplexity': [
    'openai',
    openai(said, { search_results: [page] }),
    [{ page }],
  ],
  'references within the content, from Mistral': [
    'openai',
    openai([
      { type: 'text', text: said },
      { type: 'reference', reference_ids: [3] },
      { type: 'tool_reference', tool: 'web_search', ...page },
    ]),
    [{ file: { title: '3' } }, { page }],
  ],
}

/** Chat completions have a field for pages, and files in another. */
function inOrderOf(face: Face, told: (typeof sources)[string][2]) {
  return face === 'chat'
    ? told.toSorted((one, other) => Number('file' in one) - Number('file' in other))
    : told
}

test.each(Object.entries(sources))('translates %s', async (_name, [type, answering, expected]) => {
  await using pair = await inFrontOf(type, type === 'openai' ? chatOnly(answering) : answering)
  for (const face of faces.filter(
    (one) =>
      !(type === 'gemini' && one === 'generateContent') &&
      !(type === 'openai-responses' && one === 'responses'),
  ))
    for (const stream of [false, true]) {
      const { wire } = await ask(pair, face, { stream })
      expect(citationsIn(face, wire, stream), `${face} ${stream ? 'streamed' : 'whole'}`).toEqual(
        inOrderOf(face, expected).map((what) => expect.objectContaining(toldAs[face](what))),
      )
    }
})

test('keeps the position of a citation in formats that have one', async () => {
  await using pair = await inFrontOf('cohere', cohere)
  for (const stream of [false, true]) {
    const { wire } = await ask(pair, 'generateContent', { stream })
    expect(citationsIn('generateContent', wire, stream).map((chunk) => chunk['said'])).toEqual([
      'Emperor penguins',
      'tall',
    ])
    const chat = await ask(pair, 'chat', { stream })
    expect(citationsIn('chat', chat.wire, stream)).toEqual([
      {
        type: 'url_citation',
        url_citation: expect.objectContaining({ start_index: 21, end_index: 25, url: page.url }),
      },
      {
        type: 'file_citation',
        file_citation: {
          start_index: 0,
          end_index: 16,
          title: 'Tall penguins',
          quote: 'Emperors are the tallest.',
          file_id: 'doc_0',
          filename: 'Tall penguins',
        },
      },
    ])
  }
})

test('converts Cohere’s offsets from code points to UTF-16 units', async () => {
  const texts = ['🌈🌈 A rainbow', ' is 🎨 seven colours.'] as const
  const sources = [document]
  const citations = [
    { start: 5, end: 12, text: 'rainbow', sources, content_index: 0 },
    { start: 6, end: 11, text: 'seven', sources, content_index: 1 },
  ]
  const content = texts.map((text) => ({ type: 'text', text }))
  await using pair = await inFrontOf(
    'cohere',
    either({ id: 'c', message: { content, citations }, ...cohereEnd }, [
      data({ type: 'message-start', delta: { message: { role: 'assistant' } } }),
      ...texts.flatMap((text, index) => [
        data({ type: 'content-start', index, delta: { message: { content: { text: '' } } } }),
        ...[text.slice(0, 4), text.slice(4)].map((piece) =>
          data({ type: 'content-delta', index, delta: { message: { content: { text: piece } } } }),
        ),
        data({
          type: 'citation-start',
          index,
          delta: { message: { citations: citations[index] } },
        }),
      ]),
      data({ type: 'message-end', delta: cohereEnd }),
    ]),
  )
  const whole = texts.join('')
  for (const stream of [false, true]) {
    const told = await ask(pair, 'generateContent', { stream })
    const said = citationsIn('generateContent', told.wire, stream).map((chunk) => chunk['said'])
    expect(said).toEqual(['rainbow', 'seven'])
    const chat = await ask(pair, 'chat', { stream })
    const words = citationsIn('chat', chat.wire, stream).map((annotation) => {
      const { start_index: start, end_index: end } = annotation['file_citation'] as {
        readonly [field: string]: number
      }
      return whole.slice(start, end)
    })
    expect(words).toEqual(['rainbow', 'seven'])
  }
})
