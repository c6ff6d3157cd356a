import { describe, expect, it } from 'vitest'
import { encode, hello, refusal, tool } from '../../../test/support/formats/anthropic-encode.ts'
import type { Message } from '../../contract/src/operations/chat-message.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { claudeModel } from '../src/families/claude.ts'

describe('limits and sampling by model', () => {
  it.each([
    ['claude-opus-5-5', 128_000],
    ['claude-sonnet-4-5-20250929', 64_000],
    ['anthropic/claude-opus-4.1', 32_000],
    ['claude-3-5-haiku-20241022', 8192],
    ['claude-3-haiku-20240307', 4096],
    ['claude-of-tomorrow-9', 128_000],
    ['kimi-k2', 8192],
  ])('%s gets max_tokens %i by default', (model, most) => {
    const { body } = encode({ max_completion_tokens: null }, model)
    expect(body['max_tokens']).toBe(most)
  })

  it('translates max_completion_tokens to max_tokens', () => {
    expect(encode({ max_completion_tokens: 7 }).body['max_tokens']).toBe(7)
  })

  it.each<[string, Partial<ChatRequest>, string[], object]>([
    ['claude-3-7-sonnet', { temperature: 0.5, top_p: 0.9 }, [], { temperature: 0.5, top_p: 0.9 }],
    ['claude-sonnet-4-5', { temperature: 0.5, top_p: 0.9 }, ['top_p'], { temperature: 0.5 }],
    ['claude-sonnet-4-5', { temperature: 1, top_p: 0.9 }, [], { top_p: 0.9 }],
    ['claude-opus-5', { temperature: 0.5, top_k: 3 }, ['temperature', 'top_k'], {}],
    ['claude-opus-5', { temperature: 1, top_p: 1, top_k: 0 }, [], {}],
    ['claude-sonnet-4-5', { reasoning_effort: 'low', temperature: 0 }, ['temperature'], {}],
    ['claude-sonnet-4-5', { reasoning_effort: 'low', top_p: 0.95 }, [], { top_p: 0.95 }],
  ])('%s: of %j drops %j', (model, given, lost, sent) => {
    const { body, dropped } = encode({ max_completion_tokens: 4000, ...given }, model, true)
    expect(dropped).toEqual(lost)
    const { temperature, top_p, top_k } = body
    expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(sent)
  })

  it('recognizes model names with prefixes and suffixes', () => {
    expect(claudeModel('us.anthropic.claude-opus-4-20250514-v1:0')).toBe(
      claudeModel('claude-opus-4'),
    )
    expect(claudeModel('claude-sonnet-4@20250514').structured).toBe(false)
    expect(claudeModel('claude-fable-5').forcedTools).toBe(true)
    expect(claudeModel('claude-fable-5-1').forcedTools).toBe(false)
  })
})

describe('thinking', () => {
  const enabled = (budget_tokens: number) => ({ type: 'enabled', budget_tokens })
  it.each<[string, Partial<ChatRequest>, object]>([
    ['claude-sonnet-4-5', {}, {}],
    ['claude-sonnet-4-5', { reasoning_effort: 'minimal' }, { thinking: enabled(1024) }],
    [
      'claude-sonnet-4-5',
      { reasoning_effort: 'high' },
      { thinking: enabled(16_384), max_tokens: 18_384 },
    ],
    ['claude-sonnet-4-5', { thinking_budget: 1500 }, { thinking: enabled(1500) }],
    ['claude-sonnet-4-5', { thinking_budget: -1 }, { thinking: enabled(8192), max_tokens: 10_192 }],
    ['claude-sonnet-4-5', { thinking_budget: 0 }, { thinking: { type: 'disabled' } }],
    ['claude-opus-4-6', { thinking_budget: 1500 }, { thinking: enabled(1500) }],
    [
      'claude-opus-4-6',
      { reasoning_effort: 'max' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    ],
    [
      'claude-opus-5',
      { reasoning_effort: 'minimal' },
      {
        thinking: { type: 'adaptive', display: 'summarized' },
        output_config: { effort: 'low' },
      },
    ],
    ['claude-opus-5', { reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    ['claude-sonnet-5-5', { thinking_budget: 0 }, { thinking: { type: 'between_tools' } }],
    // What a model has no word for becomes the nearest that it knows.
    ['claude-sonnet-4-5', { thinking_budget: 512 }, { thinking: enabled(1024) }],
    [
      'claude-opus-4-6',
      { reasoning_effort: 'xhigh' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    [
      'claude-opus-5',
      { thinking_budget: 4096 },
      {
        thinking: { type: 'adaptive', display: 'summarized' },
        output_config: { effort: 'low' },
      },
    ],
  ])('%s: %j', (model, given, sent) => {
    const {
      messages: _,
      model: _model,
      ...rest
    } = encode({ max_completion_tokens: 2000, ...given }, model).body
    expect(rest).toEqual({ max_tokens: 2000, ...sent })
  })

  it.each<[string, Partial<ChatRequest>, string]>([
    ['claude-3-5-haiku', { reasoning_effort: 'low' }, 'reasoning_effort'],
    ['claude-3-5-haiku', { thinking_budget: 2048 }, 'thinking_budget'],
    // It always thinks.
    ['claude-opus-5-5', { thinking_budget: 0 }, 'thinking_budget'],
    ['claude-opus-5-5', { reasoning_effort: 'none' }, 'reasoning_effort'],
  ])('%s: drops %j', (model, given, param) => {
    const { body, dropped } = encode(given, model)
    expect(dropped).toEqual([param])
    expect(body).not.toHaveProperty('thinking')
  })

  it('is dropped in a tool loop that began without it', () => {
    const call = { id: 'a', ...tool, function: { name: 'look', arguments: '{}' } }
    const loop = (assistant: Partial<Message>): Message[] => [
      hello,
      { role: 'assistant', content: null, tool_calls: [call], ...assistant },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ]
    const asked = { tools: [tool], reasoning_effort: 'low' as const, max_completion_tokens: 4000 }
    expect(encode({ ...asked, messages: loop({}) }).body['thinking']).toBeUndefined()
    const block = { type: 'thinking' as const, thinking: 'Hm', signature: 'Eq' }
    const thought = encode({ ...asked, messages: loop({ thinking_blocks: [block] }) }).body
    expect(thought['thinking']).toEqual(enabled(2048))
    expect(thought.messages[1]?.content[0]).toEqual(block)
  })

  it('conflicts with a forced call', () => {
    const forced = { tools: [tool], tool_choice: 'required' as const, max_completion_tokens: 4000 }
    expect(refusal({ ...forced, reasoning_effort: 'low' }).details.param).toBe('tool_choice')
    expect(refusal(forced, 'claude-opus-5-5').details.param).toBe('tool_choice')
    expect(
      encode({ ...forced, reasoning_effort: 'low' }, 'claude-opus-5').body['tool_choice'],
    ).toEqual({ type: 'any' })
  })
})
