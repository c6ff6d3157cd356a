import { describe, expect, it } from 'vitest'
import { formatContext } from '../../../test/support/codec-context.ts'
import { validate } from '../../contract/src/operations/validate.ts'
import { ownFormats } from '../src/openai/client/formats.ts'

const { chat, complete } = ownFormats
const messages = [{ role: 'user', content: 'x' }]
const functions = [{ name: 'f', description: 'F.', parameters: { type: 'object' } }]

function canonical(fields: object) {
  const leftOut: string[] = []
  const context = formatContext({ leftOut: (param) => void leftOut.push(param) })
  const request = validate(chat.request, { model: 'm', messages, ...fields })
  return { leftOut, request: chat.toCanonical(request, context) }
}

const tool = {
  type: 'function',
  function: { name: 'f', description: 'F.', parameters: { type: 'object' } },
}
const schema = { title: 'person', type: 'object', properties: { name: { type: 'string' } } }
const json = (given: object) => ({ response_format: { type: 'json_schema', json_schema: given } })

describe('a chat completion request', () => {
  it.each<[object, object]>([
    [
      { temperature: 1, min_p: 0.1 },
      { temperature: 1, min_p: 0.1 },
    ],
    [{ stop: 'END' }, { stop: ['END'] }],
    [{ stop: ['a', 'b'] }, { stop: ['a', 'b'] }],
    [{ stop: null, max_tokens: null, functions: null, response_format: null }, {}],
    [{ max_tokens: 5 }, { max_completion_tokens: 5 }],
    [{ max_tokens: 5, max_completion_tokens: 9 }, { max_completion_tokens: 9 }],
    [{ max_tokens: 5, max_completion_tokens: null }, { max_completion_tokens: 5 }],
    [{ functions }, { tools: [tool], parallel_tool_calls: false }],
    [
      { functions, tools: [], function_call: 'none' },
      { tools: [tool], parallel_tool_calls: false, tool_choice: 'none' },
    ],
    [
      { functions, function_call: { name: 'f' } },
      {
        tools: [tool],
        parallel_tool_calls: false,
        tool_choice: { type: 'function', function: { name: 'f' } },
      },
    ],
    [json(schema), json({ name: 'person', schema })],
    [
      json({ anyOf: [{ type: 'object' }] }),
      json({ name: 'response', schema: { anyOf: [{ type: 'object' }] } }),
    ],
    [json({ name: 'p', schema, strict: true }), json({ name: 'p', schema, strict: true })],
    [
      json({ name: 'p', description: 'P.', strict: null }),
      json({ name: 'p', description: 'P.', schema: {} }),
    ],
    [json({ schema, more: 1 }), json({ name: 'person', schema, more: 1 })],
    [{ response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
    [{ response_format: { type: 'json_object', schema } }, json({ name: 'person', schema })],
  ])('translates %j to %j', (fields, said) => {
    expect(canonical(fields)).toEqual({ leftOut: [], request: { model: 'm', messages, ...said } })
  })

  it('keeps the signature of a thinking part', () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' }
    const content = [thought, { type: 'text', text: 'Yes' }]
    const { request } = canonical({ messages: [...messages, { role: 'assistant', content }] })
    expect(request).toMatchObject({
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: 'Yes',
          reasoning_content: 'Hm',
          thinking_blocks: [thought],
        },
      ],
    })
  })

  it('reports dropped fields', () => {
    const both = canonical({ tools: [tool], functions, function_call: 'auto' })
    expect(both.leftOut).toEqual(['functions', 'function_call'])
    expect(both.request).toEqual({ model: 'm', messages, tools: [tool] })
  })

  it('generates missing call ids', () => {
    const call = (name: string) => ({ name, arguments: '{}' })
    const { request } = canonical({
      messages: [
        { role: 'assistant', content: null, function_call: call('f') },
        { role: 'function', name: 'f', content: '1' },
        { role: 'assistant', content: 'Hm', function_call: call('g') },
        { role: 'function', name: 'g', content: '2' },
      ],
    })
    const asked = (id: string, name: string) => ({
      tool_calls: [{ id, type: 'function', function: call(name) }],
    })
    expect(request).toMatchObject({
      messages: [
        { role: 'assistant', content: null, ...asked('function_call_0', 'f') },
        { role: 'tool', tool_call_id: 'function_call_0', content: '1' },
        { role: 'assistant', content: 'Hm', ...asked('function_call_2', 'g') },
        { role: 'tool', tool_call_id: 'function_call_2', content: '2' },
      ],
    })
    expect(JSON.stringify(request)).not.toContain('function_call"')
  })

  it.each<[object, string, string | undefined]>([
    [{ functions }, 'tools[2].function.parameters', 'functions[2].parameters'],
    [{ functions }, 'tools', 'functions'],
    [{ functions }, 'tool_choice', 'function_call'],
    [{ functions }, 'parallel_tool_calls', undefined],
    [{ tools: [tool] }, 'tools[2].function.parameters', 'tools[2].function.parameters'],
    [{ tools: [tool] }, 'parallel_tool_calls', 'parallel_tool_calls'],
    [{ max_tokens: 5 }, 'max_completion_tokens', 'max_tokens'],
    [{ max_completion_tokens: 5 }, 'max_completion_tokens', 'max_completion_tokens'],
    [{ stop: ' ' }, 'stop[0]', 'stop'],
    [{ stop: [' '] }, 'stop[0]', 'stop[0]'],
    [
      json(schema),
      'response_format.json_schema.schema.properties.name',
      'response_format.json_schema.properties.name',
    ],
    [json({ schema }), 'response_format.json_schema.schema', 'response_format.json_schema.schema'],
    [
      { messages: [{ role: 'assistant', function_call: {} }] },
      'messages[0].tool_calls[0].function.arguments',
      'messages[0].function_call.arguments',
    ],
    [{}, 'messages[0].tool_calls[0].function', 'messages[0].tool_calls[0].function'],
    [{}, 'temperature', 'temperature'],
  ])('%j: an error about %s names %s', (fields, path, named) => {
    const request = { model: 'm', messages, ...fields }
    expect(chat.paramOf?.(path, request)).toBe(named)
    if (named !== undefined) expect(chat.paramOf?.(named, request)).toBe(named)
  })
})

it('a single stop sequence of a text completion becomes a list', () => {
  const said = (stop: unknown) =>
    complete.toCanonical({ model: 'm', prompt: 'a', stop }, formatContext())
  expect(said('END')).toEqual({ model: 'm', prompt: 'a', stop: ['END'] })
  expect(said(['END'])).toEqual({ model: 'm', prompt: 'a', stop: ['END'] })
  expect(said(null)).toEqual({ model: 'm', prompt: 'a' })
})
