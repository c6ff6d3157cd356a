import { describe, expect, it } from 'vitest'
import { encodedChat } from '../../../test/support/formats/encoded-chat.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { openai } from '../src/openai/index.ts'

// What a translated request says to a model of OpenAI's protocol, and what of it is left out or refused, by its name.

const { sent, leftOut, refusal } = encodedChat(openai.codecs.chat!, 'gpt-4.1')

const sampling = { temperature: 0.5, top_p: 0.9, presence_penalty: 0.5, frequency_penalty: 0.5 }
const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f' } }]

const reasoning = ['o3', 'o4-mini', 'o1', 'openai/o3', 'gpt-5', 'gpt-5-mini-2025-08-07', 'gpt-5.1']

describe.each(reasoning)('%s, a reasoning model', (model) => {
  it('drops sampling fields', () => {
    expect(leftOut(sampling, model)).toEqual(Object.keys(sampling))
    const body = sent({ ...sampling, max_completion_tokens: 9, reasoning_effort: 'low' }, { model })
    expect(Object.keys(body).toSorted()).toEqual([
      'max_completion_tokens',
      'messages',
      'model',
      'reasoning_effort',
    ])
  })

  it('rejects logprobs and logit_bias', () => {
    expect(refusal({ logprobs: true }, model)).toBe('logprobs')
    expect(refusal({ logit_bias: { '7': 1 } }, model)).toBe('logit_bias')
  })

  it('drops default values silently', () => {
    const usual = { temperature: 1, top_p: 1, presence_penalty: 0, logprobs: false }
    expect(leftOut(usual, model)).toEqual([])
    expect(sent(usual, { model })).toEqual(sent({}, { model }))
  })
})

const plain = ['gpt-4.1', 'gpt-4o-mini', 'gpt-3.5-turbo', 'chatgpt-4o-latest', 'gpt-5-chat-latest']

describe.each([...plain, 'llama-3.3-70b-versatile', 'openai/gpt-4.1'])('%s', (model) => {
  it('drops reasoning fields and keeps sampling', () => {
    expect(leftOut({ reasoning_effort: 'high' }, model)).toEqual(['reasoning_effort'])
    expect(leftOut({ thinking_budget: 2048 }, model)).toEqual(['thinking_budget'])
    expect(leftOut({ thinking_budget: -1 }, model)).toEqual([])
    expect(leftOut({ thinking_budget: 0, reasoning_effort: 'none' }, model)).toEqual([])
    const body = sent({ ...sampling, reasoning_effort: 'high', thinking_budget: 2048 }, { model })
    expect(body).toMatchObject(sampling)
    expect(body).not.toHaveProperty('reasoning_effort')
    expect(body).not.toHaveProperty('thinking_budget')
  })
})

it.each<[string, Partial<ChatRequest>, readonly string[]]>([
  ['gpt-4.1', { verbosity: 'low' }, ['verbosity']],
  ['o3', { verbosity: 'low' }, ['verbosity']],
  ['gpt-5', { verbosity: 'low' }, []],
  ['o4-mini', { tools, parallel_tool_calls: false }, ['parallel_tool_calls']],
  ['gpt-5', { tools, parallel_tool_calls: false }, []],
  ['gpt-4o-search-preview', { temperature: 0.5, seed: 1 }, ['temperature', 'seed']],
  ['grok-4', { reasoning_effort: 'high' }, ['reasoning_effort']],
  ['deepseek-r1-distill-llama-70b', { reasoning_effort: 'high' }, []],
  ['some-model', { ...sampling, reasoning_effort: 'max', verbosity: 'low' }, []],
])('%s: of %j drops %j', (model, fields, names) => {
  expect(leftOut(fields, model)).toEqual(names)
})

type Effort = ChatRequest['reasoning_effort']

it.each<[string, Effort, Effort, readonly string[]]>([
  ['o3', 'minimal', 'low', []],
  ['o3', 'max', 'high', []],
  ['o3', 'none', 'low', ['reasoning_effort']],
  ['gpt-5', 'none', 'minimal', ['reasoning_effort']],
  ['gpt-5', 'xhigh', 'high', []],
  ['gpt-5.1', 'none', 'none', []],
  ['gpt-5.1', 'minimal', 'low', []],
  ['gpt-5.2', 'max', 'xhigh', []],
  ['gpt-5-pro', 'low', 'high', []],
  ['openai/gpt-oss-120b', 'minimal', 'low', []],
  ['mistral-small-latest', 'medium', 'high', []],
  ['mistral-medium-3-5', 'none', 'none', []],
  ['mistralai/Mistral-Small-3.2-24B-Instruct-2506', 'high', undefined, ['reasoning_effort']],
  ['mistral-small-2506', 'high', undefined, ['reasoning_effort']],
  ['devstral-latest', 'low', undefined, ['reasoning_effort']],
  ['mistral-large-2512', 'low', undefined, ['reasoning_effort']],
  ['mistral-large-4-0', 'low', 'low', []],
  ['some-model', 'max', 'max', []],
])('%s: maps the effort %s to %s', (model, asked, effort, names) => {
  expect(sent({ reasoning_effort: asked ?? null }, { model })['reasoning_effort']).toBe(effort)
  expect(leftOut({ reasoning_effort: asked ?? null }, model)).toEqual(names)
})

it('accepts tools for the latest models only without an effort', () => {
  expect(leftOut({ tools, reasoning_effort: 'high' }, 'gpt-5.6')).toEqual(['reasoning_effort'])
  expect(sent({ tools }, { model: 'gpt-5.6' })['reasoning_effort']).toBe('none')
  expect(leftOut({ reasoning_effort: 'high' }, 'gpt-5.6')).toEqual([])
})

it.each(['user', 'safety_identifier', 'prompt_cache_key'])('hashes a long %s', (field) => {
  const id = `user_${'0123456789abcdef'.repeat(9)}_session`
  const made = sent({ [field]: id })[field]
  expect(made).toMatch(/^[0-9a-f]{64}$/)
  expect(sent({ [field]: id })[field]).toBe(made)
  expect(sent({ [field]: `${id}2` })[field]).not.toBe(made)
  expect(sent({ [field]: 'short' })[field]).toBe('short')
})
