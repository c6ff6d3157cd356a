import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sine, wavOf } from '../../../packages/engine/test/audio-sounds.ts'
import { expectContract } from '../../support/formats/contract-shapes.ts'
import { type Started, start } from '../../support/start.ts'

/** Every bound: a value just inside it passes, one just outside is a 400 whose `param` is the path of the field. */
let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

type Fields = Readonly<Record<string, unknown>>
interface Bound {
  readonly param: string
  readonly inside: readonly unknown[]
  readonly outside: readonly unknown[]
}

const bound = (param: string, inside: readonly unknown[], outside: readonly unknown[]): Bound => ({
  param,
  inside,
  outside,
})

/** Sets what a path such as `a.b[0].c` names. */
function withValue(body: Fields, path: string, value: unknown): Fields {
  const copy = structuredClone(body)
  const keys = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  const last = keys.pop() ?? ''
  let place: Record<string, unknown> = copy
  // Each key of the path leads to an object or an array: the bodies below are made so.
  for (const key of keys) place = (place[key] ??= {}) as Record<string, unknown>
  if (value === undefined) delete place[last]
  else place[last] = value
  return copy
}

async function expectBound(
  path: string,
  body: Fields,
  { param, inside, outside }: Bound,
): Promise<void> {
  for (const value of inside) {
    const response = await gateway.post(path, withValue(body, param, value))
    const told = response.status === 200 ? '' : await response.text()
    expect({ value, status: response.status, told }).toEqual({ value, status: 200, told: '' })
    await response.body?.cancel()
  }
  for (const value of outside) {
    const response = await gateway.post(path, withValue(body, param, value))
    const answer: unknown = await response.json()
    expect({ value, status: response.status }).toEqual({ value, status: 400 })
    expectContract('error', answer)
    expect(answer).toMatchObject({ error: { param, type: 'invalid_request_error' } })
  }
}

const many = (count: number, value: unknown = 'a') => Array.from({ length: count }, () => value)
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const fn = (name: unknown = 'f') => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
})
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }

describe('chat completions', () => {
  const body = { model: 'builtin-chat', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }
  test.each([
    bound('temperature', [0, 2, null], [-0.01, 2.01, '1', true, []]),
    bound('top_p', [0, 1, null], [-0.01, 1.01, '1']),
    bound('n', [1, 128, null], [0, -1, 129, 1.5, '1']),
    bound('presence_penalty', [-2, 2], [-2.01, 2.01, 'a']),
    bound('frequency_penalty', [-2, 2], [-2.01, 2.01, {}]),
    bound('max_tokens', [1, 100_000], [0, -1, 1.5, '5']),
    bound('max_completion_tokens', [1, 100_000], [0, -1, 1.5, '5']),
    bound('stream', [false, null], ['true', 1]),
    bound('stop', ['a', [], many(4), many(64), null], [many(65), 1]),
    bound('logit_bias', [{}, { 50: 100, 51: -100 }, null], ['a', [1], 5]),
    bound('logit_bias.50', [-100, 100, 0.5], [-100.5, 101, 'a', null]),
    bound('user', ['me', null], [1, {}]),
    bound('seed', [0, -5, 2 ** 40, null], [1.5, 'a']),
    bound('reasoning_effort', ['low', 'medium', 'high', null], ['huge', '', 1]),
    bound('response_format.type', ['text'], ['xml', 1, undefined]),
    bound('modalities', [['text'], null], ['text']),
    bound('tools', [many(128, fn()), null], [many(129, fn()), 'f', {}]),
    bound('tool_choice', ['none', 'auto', null], ['some', 1, 'required']),
    bound('parallel_tool_calls', [true], ['yes']),
    bound('logprobs', [true, false, null], ['yes', 1]),
    bound('metadata', [{ a: 'b' }], ['a']),
    bound('model', ['gpt-4o'], [undefined, 1, null, '', []]),
    bound('messages', [], [undefined, null, [], 'Hi', {}]),
    bound('messages[0]', [], ['Hi', null, 1, []]),
    bound('messages[0].role', ['user', 'system', 'developer'], [undefined, 'robot', 1, null]),
    bound(
      'messages[0].content',
      ['', 'Hi', [{ type: 'text', text: 'Hi' }]],
      [undefined, null, 1, {}, []],
    ),
    bound('messages[0].name', ['me', null], [1]),
  ])('$param', (each) => expectBound('/v1/chat/completions', body, each))

  test.each([0, 20])('top_logprobs %i', async (value) => {
    await expectBound(
      '/v1/chat/completions',
      { ...body, logprobs: true },
      bound('top_logprobs', [value], [-1, 21, 0.5]),
    )
  })

  const parts = (part: Fields) => ({
    model: 'builtin-chat',
    max_tokens: 5,
    messages: [
      { role: 'system', content: 'You look.' },
      { role: 'assistant', content: 'Yes' },
      { role: 'user', content: [part] },
    ],
  })
  const image = parts({ type: 'image_url', image_url: { url: picture, detail: 'low' } })
  const sound = { data: Buffer.from(wavOf(sine(440, 0.2))).toString('base64'), format: 'wav' }
  test.each<[Bound, Fields]>([
    [bound('messages[2].content[0].image_url', [{ url: picture }], [undefined, null, 1]), image],
    [bound('messages[2].content[0].image_url.url', [picture], [undefined, 1, null]), image],
    [
      bound(
        'messages[2].content[0].image_url',
        [],
        [{ url: 'data:image/png;base64,AAAA' }, { url: 'nowhere' }],
      ),
      image,
    ],
    [bound('messages[2].content[0].image_url.detail', ['low', 'high', 'auto'], ['huge', 1]), image],
    [bound('messages[2].content[0].type', ['image_url'], ['picture', undefined, 1]), image],
    [
      bound('messages[2].content[0].text', ['a', ''], [undefined, 1]),
      parts({ type: 'text', text: 'a' }),
    ],
    [
      bound('messages[2].content[0].input_audio.format', ['wav'], ['ogg', undefined]),
      parts({ type: 'input_audio', input_audio: sound }),
    ],
    [
      bound('messages[2].content[0].input_audio.data', [sound.data], [undefined, 1]),
      parts({ type: 'input_audio', input_audio: sound }),
    ],
    [
      bound(
        'messages[2].content[0].file.file_data',
        ['data:text/plain;base64,SGk='],
        [undefined, 1],
      ),
      parts({ type: 'file', file: { filename: 'a.txt', file_data: '' } }),
    ],
    [
      bound('messages[2].content[0].video_url', [], [undefined, 1]),
      parts({ type: 'video_url', video_url: { url: '' } }),
    ],
  ])('message parts %#', async (each, base) => expectBound('/v1/chat/completions', base, each))

  const answered = {
    ...body,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Done' },
    ],
  }
  test.each([
    bound('messages[2].tool_call_id', ['call_1'], [undefined, 'call_2', 1]),
    bound('messages[1].tool_calls[0].function', [call.function], [undefined, 1, 'f']),
    bound('messages[1].tool_calls[0].function.arguments', ['{}', '', {}, null], [undefined, 1]),
    bound('messages[1].tool_calls[0].id', ['call_1'], [undefined, 1]),
  ])('tool calls: $param', (each) => expectBound('/v1/chat/completions', answered, each))

  const tooled = {
    ...body,
    tools: [fn('f')],
    tool_choice: { type: 'function', function: { name: 'f' } },
  }
  test.each([
    bound('tools[0].type', ['function'], ['robot', undefined, 1]),
    bound('tools[0].function', [fn('f').function], [undefined, 1]),
    bound('tools[0].function.name', ['f'], [undefined, '', 1, 'a'.repeat(513)]),
    bound('tools[0].function.parameters', [{ type: 'object' }, {}], ['a', 1]),
    bound('tool_choice.function.name', ['f'], [undefined, 'g']),
    bound('tool_choice', ['required', 'auto'], ['some']),
  ])('tools: $param', (each) => expectBound('/v1/chat/completions', tooled, each))

  test.each<[string, Fields]>([
    ['stream_options', { ...body, stream_options: { include_usage: true } }],
    ['top_logprobs', { ...body, top_logprobs: 3 }],
    ['tool_choice', { ...body, tool_choice: 'required' }],
    [
      'messages[1].tool_call_id',
      { ...body, messages: [...body.messages, { role: 'tool', tool_call_id: 'x', content: 'a' }] },
    ],
    ['response_format.json_schema', { ...body, response_format: { type: 'json_schema' } }],
    ['stop[0]', { ...body, stop: [1] }],
    ['modalities[1]', { ...body, modalities: ['text', 'smell'] }],
    [
      'stream_options.include_usage',
      { ...body, stream: true, stream_options: { include_usage: 'yes' } },
    ],
  ])('rejects invalid combinations: %s', async (param, wrong) => {
    const response = await gateway.post('/v1/chat/completions', wrong)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param } })
  })
})

describe('other operations', () => {
  const chat = { model: 'builtin-chat', prompt: 'one two', max_tokens: 2 }
  const embed = { model: 'builtin-embed', input: 'water' }
  const rerank = { model: 'builtin-rerank', query: 'a', documents: ['a', 'b'] }
  const image = { model: 'builtin-image', prompt: 'A circle', size: '64x64' }
  const edit = {
    model: 'builtin-image',
    input: { messages: [{ role: 'user', content: [{ image: picture }, { text: 'Flip it' }] }] },
    parameters: { n: 1 },
  }
  const speech = { model: 'builtin-speech', input: 'Hi' }
  test.each<[string, Fields, Bound]>([
    [
      '/v1/completions',
      chat,
      bound('prompt', ['', 'a', ['a'], [1], [[1]]], [undefined, 1, [], {}]),
    ],
    ['/v1/completions', chat, bound('temperature', [0, 2], [-0.1, 2.1])],
    ['/v1/completions', chat, bound('top_p', [0, 1], [-0.1, 1.1])],
    ['/v1/completions', chat, bound('n', [1, 128], [0, 129])],
    ['/v1/completions', chat, bound('max_tokens', [0, 1], [-1, 0.5])],
    ['/v1/completions', chat, bound('logprobs', [0, 5, 100], [-1, 101])],
    ['/v1/completions', chat, bound('best_of', [0, 20], [-1, 129])],
    ['/v1/completions', chat, bound('stop', ['a', many(64)], [many(65)])],
    ['/v1/completions', chat, bound('presence_penalty', [-2, 2], [-2.1, 2.1])],
    ['/v1/completions', chat, bound('frequency_penalty', [-2, 2], [-2.1, 2.1])],
    [
      '/v1/embeddings',
      embed,
      bound('input', ['a', ['a'], [1], [[1]], many(2048)], [undefined, '', [], 1, {}, many(2049)]),
    ],
    ['/v1/embeddings', embed, bound('encoding_format', ['float', 'base64'], ['hex', 1])],
    ['/v1/embeddings', embed, bound('dimensions', [1, 3072], [0, 3073, 1.5, '256'])],
    ['/v1/rerank', rerank, bound('query', ['a'], [undefined, '', 1])],
    [
      '/v1/rerank',
      rerank,
      bound('documents', [['a'], many(1000)], [undefined, [], 'a', many(1001)]),
    ],
    ['/v1/rerank', rerank, bound('documents[1]', ['', { text: 'a' }], [1, null])],
    ['/v1/rerank', rerank, bound('top_n', [1, 2, 99], [0, -1, 1.5, '1'])],
    ['/v1/rerank', rerank, bound('return_documents', [true, false], ['yes'])],
    ['/v1/moderations', { input: 'a' }, bound('input', ['', 'a', ['a']], [undefined, 1, [], {}])],
    [
      '/v1/audio/speech',
      speech,
      bound('input', ['a', 'a '.repeat(2048)], [undefined, '', 'a'.repeat(4097), 1]),
    ],
    ['/v1/audio/speech', speech, bound('speed', [0.25, 4], [0.24, 4.01])],
    ['/v1/audio/speech', speech, bound('response_format', ['mp3', 'wav', 'pcm'], ['flac', 'midi'])],
    ['/v1/audio/speech', speech, bound('voice', ['alloy', 'verse'], ['nobody', '', 1])],
    ['/v1/images/generations', image, bound('n', [1, 10], [0, 11, 1.5])],
    [
      '/v1/images/generations',
      image,
      bound('size', ['64x64', 'auto'], ['63x64', '64', '99999x64', '2049x64']),
    ],
    ['/v1/images/generations', image, bound('prompt', ['a'], [undefined, '', 'a'.repeat(32_001)])],
    ['/v1/images/generations', image, bound('response_format', ['url', 'b64_json'], ['file'])],
    ['/v1/images/edits', edit, bound('parameters.n', [1, 6], [0, 7, 1.5, '1'])],
    ['/v1/images/edits', edit, bound('parameters.watermark', [true, false], ['yes'])],
    ['/v1/images/edits', edit, bound('parameters.prompt_extend', [true, false], [1])],
    ['/v1/images/edits', edit, bound('parameters.negative_prompt', ['', 'blur'], [1])],
    ['/v1/images/edits', edit, bound('input.messages', [], [undefined, [], 'a'])],
    [
      '/v1/images/edits',
      edit,
      bound(
        'input.messages[0].content',
        [],
        [undefined, [], 'a', [{ text: 'a' }], [{ image: picture }]],
      ),
    ],
    [
      '/v1/images/edits',
      edit,
      bound('input.messages[0].content[0]', [], [{}, { image: picture, text: 'a' }]),
    ],
    [
      '/v1/images/edits',
      edit,
      bound(
        'input.messages[0].content[0].image',
        [picture],
        ['nowhere', 'data:image/png;base64,AAAA', 1],
      ),
    ],
  ])('%s %#', (path, body, each) => expectBound(path, body, each))

  test('video generation', async () => {
    const body = { model: 'builtin-video', prompt: 'A circle', size: '64x64', seconds: '1' }
    for (const [param, outside] of [
      ['prompt', [undefined, '', 'a'.repeat(32_001), 1]],
      ['size', ['63x64', '62x64', '64x2050', 'large']],
      ['seconds', ['0', '61', 0, 61, 1.5, 'a', '-1']],
      ['model', ['', 1]],
    ] as const)
      await expectBound('/v1/videos', body, bound(param, [], outside))
    for (const [param, value] of [
      ['size', '64x2048'],
      ['seconds', 60],
      ['seconds', '1'],
    ] as const) {
      const response = await gateway.post('/v1/videos', { ...body, [param]: value })
      expect(response.status).toBe(200)
      const { id } = (await response.json()) as { id: string }
      await gateway.request(`/v1/videos/${id}`, { method: 'DELETE' })
    }
  })

  test.each([
    ['transcriptions', { temperature: '1' }, 200, ''],
    ['transcriptions', { temperature: '1.1' }, 400, 'temperature'],
    ['transcriptions', { temperature: '-0.1' }, 400, 'temperature'],
    ['transcriptions', { temperature: 'warm' }, 400, 'temperature'],
    ['transcriptions', { response_format: 'docx' }, 400, 'response_format'],
    ['transcriptions', { model: '' }, 400, 'model'],
    ['transcriptions', { file: 'text' }, 400, 'file'],
    ['transcriptions', { 'timestamp_granularities[]': 'year' }, 400, 'timestamp_granularities[0]'],
    ['transcriptions', { 'timestamp_granularities[]': 'word' }, 400, 'timestamp_granularities'],
    ['translations', { temperature: '0' }, 200, ''],
    ['translations', { temperature: '2' }, 400, 'temperature'],
    ['translations', { response_format: 'diarized_json' }, 400, 'response_format'],
    ['translations', { model: '' }, 400, 'model'],
  ])('/v1/audio/%s %o', async (operation, fields, status, param) => {
    const form = new FormData()
    form.set('model', 'builtin-transcribe')
    form.set('file', new File([Buffer.from(wavOf(sine(440, 0.3)))], 'a.wav'))
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    const response = await gateway.request(`/v1/audio/${operation}`, { method: 'POST', body: form })
    const answer: unknown = await response.json()
    expect(response.status).toBe(status)
    if (status === 400) expect(answer).toMatchObject({ error: { param } })
  })

  test.each(['file', 'model'])('/v1/audio/transcriptions without %s', async (left) => {
    const form = new FormData()
    if (left !== 'model') form.set('model', 'builtin-transcribe')
    if (left !== 'file') form.set('file', new File([Buffer.from(wavOf(sine(440, 0.3)))], 'a.wav'))
    const response = await gateway.request('/v1/audio/transcriptions', {
      method: 'POST',
      body: form,
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { param: left, code: 'missing_required_parameter' },
    })
  })
})
