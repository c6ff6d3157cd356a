import { describe, expect, it } from 'vitest'
import { codecContext } from '../../../test/support/codec-context.ts'
import { answerOf } from '../../../test/support/formats/chat-answer.ts'
import { readStream } from '../../../test/support/formats/read-stream.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { openaiChat } from '../src/openai/upstream/chat.ts'

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const chat = openaiChat()

function chunk(delta: object, rest: object = {}, index: number | undefined = 0) {
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 5,
    model: 'm',
    choices: [{ index, delta, ...rest }],
  }
}

function read(chunks: readonly (object | string)[], asked = request) {
  const events = chunks.map((data) => ({
    event: '',
    data: typeof data === 'string' ? data : JSON.stringify(data),
  }))
  return readStream(chat.stream!, { events, context: codecContext(), request: asked })
}

function calls(...pieces: readonly object[]) {
  const chunks = pieces.map((piece) => chunk({ tool_calls: [piece] }))
  return answerOf(read([...chunks, chunk({}, { finish_reason: 'tool_calls' }), '[DONE]']).steps)
}

const named = (name: string, text: string) => ({ function: { name, arguments: text } })
const expected = (id: string, name: string, input: string) => ({ id, name, input })

describe('streamed tool calls of compatible upstreams', () => {
  it.each([
    [
      'id, type and name in every piece',
      [
        { index: 0, id: 'a', type: 'function', ...named('f', '{"x"') },
        { index: 0, id: 'a', type: 'function', ...named('f', ':1}') },
      ],
      [expected('a', 'f', '{"x":1}')],
    ],
    [
      'no index, no type, whole calls',
      [
        { id: 'a', ...named('f', '{}') },
        { id: 'b', ...named('g', '{}') },
      ],
      [expected('a', 'f', '{}'), expected('b', 'g', '{}')],
    ],
    [
      'no index and no id: every name begins a call',
      [named('f', '{"x":'), { function: { arguments: '1}' } }, named('f', '{}')],
      [expected('call_1', 'f', '{"x":1}'), expected('call_2', 'f', '{}')],
    ],
    [
      'index 0 for each of two parallel calls',
      [
        { index: 0, id: 'a', ...named('f', '{}') },
        { index: 0, id: 'b', ...named('g', '{}') },
      ],
      [expected('a', 'f', '{}'), expected('b', 'g', '{}')],
    ],
    [
      'an empty id in later pieces',
      [
        { index: 0, id: 'a', ...named('f', '') },
        { index: 0, id: '', function: { name: '', arguments: '{}' } },
      ],
      [expected('a', 'f', '{}')],
    ],
    [
      'indexes that begin at 1',
      [
        { index: 1, id: 'a', ...named('f', '{') },
        { index: 1, function: { arguments: '}' } },
        { index: 3, id: 'b', ...named('g', '{}') },
      ],
      [expected('a', 'f', '{}'), expected('b', 'g', '{}')],
    ],
    [
      'pieces of two calls that interleave',
      [
        { index: 0, id: 'a', ...named('f', '{"x"') },
        { index: 1, id: 'b', ...named('g', '{"y"') },
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: ':2}' } },
      ],
      [expected('a', 'f', '{"x":1}'), expected('b', 'g', '{"y":2}')],
    ],
    [
      'the name after the first piece',
      [
        { index: 0, id: 'a', function: { arguments: '{' } },
        { index: 0, ...named('f', '}') },
      ],
      [expected('a', 'f', '{}')],
    ],
    [
      'arguments as an object',
      [{ index: 0, id: 'a', function: { name: 'f', arguments: { n: 1 } } }],
      [expected('a', 'f', '{"n":1}')],
    ],
    [
      'null where a field has nothing',
      [
        { index: 0, id: 'a', type: null, ...named('f', '{}') },
        { index: 0, id: null, function: { name: null, arguments: null } },
      ],
      [expected('a', 'f', '{}')],
    ],
    [
      'custom tools',
      [
        { index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: 'SEL' } },
        { index: 0, custom: { input: 'ECT' } },
      ],
      [expected('a', 'sql', 'SELECT')],
    ],
  ])('%s', (_name, pieces, told) => {
    expect(calls(...pieces).calls).toEqual(told)
  })

  it('keep large integers in arguments sent as an object', () => {
    const data = JSON.stringify(chunk({ tool_calls: ['CALL'] })).replace(
      '"CALL"',
      '{"index":0,"id":"a","function":{"name":"f","arguments":{"n":9007199254740993}}}',
    )
    expect(answerOf(read([data]).steps).calls).toEqual([
      expected('a', 'f', '{"n":9007199254740993}'),
    ])
  })

  it('keep Google’s signature of a call', () => {
    const extra = { google: { thought_signature: 'sig' } }
    const { steps } = read([
      chunk({ tool_calls: [{ index: 0, id: 'a', ...named('f', '{}'), extra_content: extra }] }),
    ])
    const [, told] = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
    expect(told?.delta.tool_calls?.[0]?.extra_content).toEqual(extra)
  })
})

describe('streams of compatible upstreams', () => {
  it.each([
    [
      'reasoning by either name, once',
      [chunk({ reasoning: 'a', reasoning_content: 'a' }), chunk({ reasoning: 'b' })],
      { reasoning: 'ab' },
    ],
    [
      'content as a list of thinking and text',
      [
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
        chunk({
          content: [
            { type: 'text', text: 'yes' },
            { type: 'reference', reference_ids: [1] },
          ],
        }),
      ],
      { reasoning: 'hm', text: 'yes' },
    ],
    [
      'a role in every chunk',
      [chunk({ role: 'assistant', content: 'a' }), chunk({ role: 'assistant', content: 'b' })],
      { text: 'ab' },
    ],
    [
      'one chunk with the whole message',
      [{ choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }] }],
      { text: 'a', finish: 'stop' },
    ],
    [
      'no index',
      [chunk({ content: 'a' }, {}, undefined), chunk({ content: 'b' }, {}, undefined)],
      { text: 'ab' },
    ],
    [
      'ids and times that change',
      [chunk({ content: 'a' }), { ...chunk({ content: 'b' }), id: 'other', created: 9 }],
      { text: 'ab' },
    ],
    ['a refusal', [chunk({ refusal: 'No' }), chunk({ refusal: '.' })], { refusal: 'No.' }],
    [
      'empty choices before the first',
      [{ choices: [], prompt_filter_results: [] }, chunk({ content: 'a' })],
      { text: 'a' },
    ],
    [
      'content beside the finish reason',
      [chunk({ content: 'a' }, { finish_reason: 'stop' })],
      { text: 'a', finish: 'stop' },
    ],
    [
      'stop although there are calls',
      [
        chunk(
          { tool_calls: [{ index: 0, id: 'a', ...named('f', '{}') }] },
          { finish_reason: 'stop' },
        ),
      ],
      { finish: 'tool_calls' },
    ],
    [
      'an unknown finish reason',
      [chunk({ content: 'a' }), chunk({}, { finish_reason: 'eos' })],
      { finish: 'stop' },
    ],
    [
      'another word for length',
      [chunk({ content: 'a' }), chunk({}, { finish_reason: 'model_length' })],
      { finish: 'length' },
    ],
    [
      'an empty finish reason is none',
      [
        chunk({ content: 'a' }, { finish_reason: '' }),
        chunk({ content: 'b' }, { finish_reason: 'stop' }),
      ],
      { text: 'ab', finish: 'stop' },
    ],
    [
      'a finish reason twice',
      [chunk({ content: 'a' }, { finish_reason: 'stop' }), chunk({}, { finish_reason: 'stop' })],
      { text: 'a', finish: 'stop' },
    ],
    [
      'nothing in the message',
      [chunk({ content: null }), chunk({}, { finish_reason: 'length' })],
      { text: '', finish: 'length' },
    ],
    [
      'a deprecated call answered to tools',
      [
        chunk({ function_call: { name: 'f', arguments: '{' } }),
        chunk({ function_call: { arguments: '}' } }),
        chunk({}, { finish_reason: 'function_call' }),
      ],
      { calls: [expected('call_1', 'f', '{}')] },
    ],
  ])('%s', (_name, chunks, told) => {
    expect(answerOf(read([...chunks, '[DONE]']).steps)).toMatchObject(told)
  })

  it('separate interleaved choices', () => {
    const { steps, verdicts } = read([
      chunk({ role: 'assistant', content: 'a' }, {}, 0),
      chunk({ role: 'assistant', content: 'x' }, {}, 1),
      chunk({ content: 'b' }, { finish_reason: 'stop' }, 0),
      chunk({ content: 'y' }, { finish_reason: 'length' }, 1),
      '[DONE]',
    ])
    expect(answerOf(steps, 0)).toMatchObject({ text: 'ab', finish: 'stop' })
    expect(answerOf(steps, 1)).toMatchObject({ text: 'xy', finish: 'length' })
    expect(verdicts).toEqual(['content', 'content', 'content', 'finish', 'terminal'])
  })

  it('have no finish reason if none came', () => {
    const { steps } = read([chunk({ content: 'a' })])
    expect(answerOf(steps).finish).toBeUndefined()
  })
})

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

describe('thinking blocks streamed in parts', () => {
  const piece = (thinking: string, signature = '') => ({ type: 'thinking', thinking, signature })
  const told = (...deltas: readonly object[]) => {
    const chunks = [...deltas, { content: 'x' }].map((delta) => chunk(delta))
    const { steps } = read([...chunks, chunk({}, { finish_reason: 'stop' }), '[DONE]'])
    const said = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
    return {
      reasoning: said.map(({ delta }) => delta.reasoning_content ?? '').join(''),
      blocks: said.flatMap(({ delta }) => delta.thinking_blocks ?? []),
    }
  }
  const whole = piece('Hm, yes', 'S')

  it.each([
    ['the signature beside no text', piece('', 'S')],
    ['the signature beside the last piece', piece(', yes', 'S'), [piece('Hm')]],
    ['the signature beside the whole text', whole],
  ])('take %s', (_name, last, pieces = [piece('Hm'), piece(', yes')]) => {
    const deltas = pieces.map((one) => ({
      reasoning_content: one.thinking,
      thinking_blocks: [one],
    }))
    expect(told(...deltas, { thinking_blocks: [last] }).blocks).toEqual([whole])
  })

  it('have their own signatures, and other blocks are kept', () => {
    const redacted = { type: 'redacted_thinking', data: 'd' }
    const two = [piece('a'), piece('', 'A'), redacted, piece('b'), piece('', 'B')]
    const { blocks } = told(...two.map((one) => ({ thinking_blocks: [one] })))
    expect(blocks).toEqual([piece('a', 'A'), redacted, piece('b', 'B')])
  })

  it('return text that is only in blocks, and drop unsigned blocks', () => {
    expect(told({ thinking_blocks: [piece('Hm')] })).toEqual({ reasoning: 'Hm', blocks: [] })
  })
})

describe('usage in a stream', () => {
  it.each([
    ['in a chunk of its own', [chunk({ content: 'a' }), { choices: [], usage }]],
    [
      'in the finish chunk',
      [chunk({ content: 'a' }), { ...chunk({}, { finish_reason: 'stop' }), usage }],
    ],
    [
      'in every chunk, the last counts',
      [
        { ...chunk({ content: 'a' }), usage: { ...usage, completion_tokens: 1, total_tokens: 11 } },
        { ...chunk({}, { finish_reason: 'stop' }), usage },
      ],
    ],
    [
      'null in the others',
      [
        { ...chunk({ content: 'a' }), usage: null },
        { choices: [], usage },
        { ...chunk({}), usage: null },
      ],
    ],
    [
      'in x_groq',
      [chunk({ content: 'a' }), { ...chunk({}, { finish_reason: 'stop' }), x_groq: { usage } }],
    ],
    ['in the choice', [chunk({ content: 'a' }), chunk({}, { finish_reason: 'stop', usage })]],
    [
      'in a chunk that repeats the finished choice without its reason, as OpenRouter does',
      [
        chunk({ content: 'a' }),
        chunk({}, { finish_reason: 'stop' }),
        { ...chunk({ role: 'assistant', content: '' }, { finish_reason: null }), usage },
      ],
    ],
  ])('%s', (_name, chunks) => {
    const told = read([...chunks, '[DONE]'])
    const hasEnded = JSON.stringify(chunks).includes('"finish_reason":"stop"')
    expect(told.error?.code).toBe(hasEnded ? undefined : 'upstream_cut')
    expect(told.usage).toEqual({ inputTokens: 10, outputTokens: 5 })
    const steps = told.steps.flatMap((step) => ('usage' in step ? [step.usage] : []))
    expect(steps.at(-1)).toEqual(told.usage)
  })

  it('is marked in a chunk that has nothing else', () => {
    const watcher = chat.stream!.watcher()
    const see = (data: object) => {
      watcher.see({ event: '', data: JSON.stringify(data) })
      return watcher.usageOnly
    }
    expect(see(chunk({ content: 'a' }))).toBe(false)
    expect(see({ choices: [], prompt_filter_results: [] })).toBe(false)
    expect(see({ choices: [], usage })).toBe(true)
    expect(see({ ...chunk({}, { finish_reason: 'stop' }), usage })).toBe(false)
  })
})
