import { describe, expect, it } from 'vitest'
import {
  mistralOrder,
  mistralToolIds,
  requiredAsAny,
  nameBeforeText,
  withoutEmptyFields,
  withParameters,
} from '../src/openai/upstream/mistral-quirks.ts'
import {
  budgetInReasoning,
  developerAsSystem,
  effortAs,
  maxTokensOnly,
  noStreamOptions,
  readableArguments,
  renameField,
  systemFirst,
  toldSchema,
} from '../src/openai/upstream/quirks.ts'
import { searchDomainFilter } from '../src/openai/upstream/search-quirks.ts'
import type { Quirk, UpstreamRequest } from '../src/protocol.ts'

const sent = (value: object): UpstreamRequest => ({
  method: 'POST',
  path: '/chat/completions',
  body: { kind: 'json', value },
})

const reports = { leftOut: () => {} }

const changed = (quirk: Quirk, value: object): unknown => {
  const { body } = quirk(sent(value), 'chat', reports)
  return body?.kind === 'json' ? body.value : undefined
}

const qwen = effortAs((effort) => ({ enable_thinking: effort !== 'none' }))
const text = (said: string) => ({ type: 'text', text: said })
const says = (...messages: readonly object[]) => ({ messages })

describe.each<[string, Quirk, readonly (readonly [before: object, after: object])[]]>([
  ['noStreamOptions', noStreamOptions, [[{ stream: true, stream_options: {} }, { stream: true }]]],
  [
    'budgetInReasoning',
    budgetInReasoning,
    [
      [{ thinking_budget: 2000 }, { reasoning: { max_tokens: 2000 } }],
      [{ thinking_budget: 2000, reasoning_effort: 'low' }, { reasoning: { max_tokens: 2000 } }],
      [{ reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    ],
  ],
  [
    'toldSchema',
    toldSchema,
    [
      [
        {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'n', schema: { type: 'object' } },
          },
          messages: [],
        },
        {
          response_format: { type: 'json_object' },
          messages: [
            {
              role: 'system',
              content: 'Answer with nothing but JSON that fits this JSON Schema: {"type":"object"}',
            },
          ],
        },
      ],
      [{ response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
    ],
  ],
  [
    'searchDomainFilter',
    searchDomainFilter,
    [
      [
        { web_search_options: { filters: { blocked_domains: ['a.com'] } } },
        { search_domain_filter: ['-a.com'], web_search_options: {} },
      ],
      [{ web_search_options: {} }, { web_search_options: {} }],
    ],
  ],
  [
    'renameField',
    renameField('seed', 'random_seed'),
    [
      [{ seed: 1 }, { random_seed: 1 }],
      [{ seed: 1, random_seed: 2 }, { random_seed: 2 }],
    ],
  ],
  [
    'maxTokensOnly',
    maxTokensOnly,
    [
      [{ max_completion_tokens: 5 }, { max_tokens: 5 }],
      [{ max_completion_tokens: 5, max_tokens: 9 }, { max_tokens: 5 }],
    ],
  ],
  [
    'withoutEmptyFields',
    withoutEmptyFields,
    [
      [
        says({ role: 'assistant', content: null, refusal: null, annotations: [], tool_calls: [] }),
        says({ role: 'assistant', content: null }),
      ],
      [
        says({ role: 'assistant', content: [{ ...text('a'), annotations: [] }] }),
        says({ role: 'assistant', content: [text('a')] }),
      ],
      [
        says({ role: 'assistant', content: 'a', refusal: 'b' }),
        says({ role: 'assistant', content: 'a', refusal: 'b' }),
      ],
    ],
  ],
  [
    'withParameters',
    withParameters,
    [
      [
        { tools: [{ type: 'function', function: { name: 'f' } }] },
        {
          tools: [
            {
              type: 'function',
              function: { name: 'f', parameters: { type: 'object', properties: {} } },
            },
          ],
        },
      ],
      [
        { tools: [{ function: { parameters: {} } }] },
        { tools: [{ function: { parameters: {} } }] },
      ],
      [{}, {}],
    ],
  ],
  [
    'nameBeforeText',
    nameBeforeText,
    [
      [
        says({ role: 'user', name: 'ann', content: 'a' }, { role: 'user', name: '', content: 'b' }),
        says({ role: 'user', content: 'ann: a' }, { role: 'user', content: 'b' }),
      ],
      [
        says({ role: 'user', name: 'ann', content: [{ type: 'image_url' }, text('a')] }),
        says({ role: 'user', content: [{ type: 'image_url' }, text('ann: a')] }),
      ],
      [
        says({ role: 'assistant', name: 'bob', content: 'a' }, { role: 'system', name: null }),
        says({ role: 'assistant', content: 'a' }, { role: 'system' }),
      ],
      [
        says({ role: 'tool', name: 'look', content: 'a' }),
        says({ role: 'tool', name: 'look', content: 'a' }),
      ],
    ],
  ],
  [
    'mistralOrder',
    mistralOrder,
    [
      [
        says({ role: 'tool', content: 'a' }, { role: 'user', content: 'b' }),
        says(
          { role: 'tool', content: 'a' },
          { role: 'assistant', content: '.' },
          { role: 'user', content: 'b' },
        ),
      ],
      [
        says({ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }),
        says({ role: 'user', content: 'a' }, { role: 'assistant', content: 'b', prefix: true }),
      ],
      [
        says({ role: 'assistant', content: 'b', prefix: false }),
        says({ role: 'assistant', content: 'b', prefix: false }),
      ],
    ],
  ],
  [
    'readableArguments',
    readableArguments,
    (
      [
        ['{"a":', '{"raw_arguments":"{\\"a\\":"}'],
        ['[]', '{"raw_arguments":"[]"}'],
        ['null', '{}'],
        [' null\n', '{}'],
      ] as const
    ).map(
      ([given, read]) =>
        [
          says({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: given } }] }),
          says({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: read } }] }),
        ] as const,
    ),
  ],
  ['requiredAsAny', requiredAsAny, [[{ tool_choice: 'required' }, { tool_choice: 'any' }]]],
  [
    'effortAs',
    qwen,
    [
      [{ reasoning_effort: 'none' }, { enable_thinking: false }],
      [{ reasoning_effort: 'low', enable_thinking: false }, { enable_thinking: false }],
      [{ thinking_budget: 9 }, { thinking_budget: 9, enable_thinking: true }],
    ],
  ],
  [
    'developerAsSystem',
    developerAsSystem,
    [[says({ role: 'developer', content: 'a' }), says({ role: 'system', content: 'a' })]],
  ],
  [
    'systemFirst',
    systemFirst,
    [
      [
        says({ role: 'developer', content: 'a' }, { role: 'system', content: 'b' }),
        says({ role: 'system', content: 'a\n\nb' }),
      ],
      [
        says({ role: 'system', content: 'a' }, { role: 'system', content: [text('b')] }),
        says({ role: 'system', content: [text('a'), text('b')] }),
      ],
      [
        says({ role: 'user', content: 'a' }, { role: 'developer', content: 'b' }),
        says({ role: 'user', content: 'a' }, { role: 'user', content: 'b' }),
      ],
      [says({ role: 'developer', content: 'a' }), says({ role: 'system', content: 'a' })],
    ],
  ],
])('%s', (_name, quirk, examples) => {
  it.each(examples)('%j becomes %j', (before, after) => {
    expect(changed(quirk, before)).toEqual(after)
  })

  it('returns the same request if there is nothing to change', () => {
    const picture = [{ type: 'image_url', image_url: { url: 'https://e.example' } }]
    const untouched = sent({
      model: 'm',
      messages: [{ role: 'user', content: picture }],
      tool_choice: 'auto',
    })
    expect(quirk(untouched, 'chat', reports)).toBe(untouched)
    const speech = sent({
      user: 'u',
      seed: 1,
      max_tokens: 4,
      max_completion_tokens: 4,
      stream_options: {},
    })
    expect(quirk(speech, 'speak', reports)).toBe(speech)
    const form: UpstreamRequest = { method: 'POST', path: '/', body: { kind: 'form', parts: [] } }
    expect(quirk(form, 'chat', reports)).toBe(form)
  })
})

describe('mistralToolIds', () => {
  it('gives a call and its result the same nine-character id', () => {
    const body = changed(
      mistralToolIds,
      says(
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call_1' }, { id: 'call_2' }, { id: 'gSIMJiOkT' }],
        },
        { role: 'tool', tool_call_id: 'call_2', content: 'x' },
        { role: 'tool', tool_call_id: 'gSIMJiOkT', content: 'y' },
      ),
    ) as {
      messages: [
        { tool_calls: { id: string }[] },
        { tool_call_id: string },
        { tool_call_id: string },
      ]
    }
    const ids = body.messages[0].tool_calls.map(({ id }) => id)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(new Set(ids).size).toBe(3)
    expect(body.messages[1].tool_call_id).toBe(ids[1])
    expect(body.messages[2].tool_call_id).toBe('gSIMJiOkT')
  })
})

it.each([
  [
    'the seed that another one replaces',
    renameField('seed', 'random_seed'),
    { seed: 1, random_seed: 2 },
    ['seed'],
  ],
  ['no seed that is the same', renameField('seed', 'random_seed'), { seed: 1, random_seed: 1 }, []],
  [
    'a budget beside an object',
    budgetInReasoning,
    { thinking_budget: 9, reasoning: { max_tokens: 2 } },
    ['thinking_budget'],
  ],
] as const)('names %s', (_, quirk, body, named) => {
  const leftOut: string[] = []
  quirk(sent(body), 'chat', { leftOut: (name) => void leftOut.push(name) })
  expect(leftOut).toEqual(named)
})
