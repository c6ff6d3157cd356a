// How much to think, as OpenRouter's callers and Anthropic's write it in chat requests.
import { expect, test } from 'vitest'
import { passes } from '../../../test/support/passes.ts'
import { codecContext, formatContext } from '../../../test/support/codec-context.ts'
import { anthropic } from '../src/anthropic/index.ts'
import { canonicalChat, paramOfChat } from '../src/openai/client/chat.ts'
import { nativeChat } from '../src/openai/upstream/native.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]

function amountOf(fields: object) {
  const dropped: string[] = []
  const canonical = canonicalChat(
    { model: 'm', messages, ...fields },
    formatContext({ leftOut: (path) => void dropped.push(path) }),
  )
  const { model: _model, messages: _messages, ...amount } = canonical
  return { ...amount, dropped }
}

test.each([
  [{ reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }],
  [{ reasoning: { effort: 'none' } }, { reasoning_effort: 'none' }],
  [{ reasoning: { max_tokens: 2000 } }, { thinking_budget: 2000 }],
  [{ reasoning: { enabled: true } }, { thinking_budget: -1 }],
  [{ reasoning: { enabled: true, effort: 'low' } }, { reasoning_effort: 'low' }],
  [{ reasoning: { enabled: false } }, { thinking_budget: 0 }],
  [{ reasoning: { exclude: true, effort: null } }, {}],
  [{ reasoning: null, thinking: null }, {}],
  [{ thinking: { type: 'enabled', budget_tokens: 3000 } }, { thinking_budget: 3000 }],
  [{ thinking: { type: 'enabled' } }, { thinking_budget: -1 }],
  [{ thinking: { type: 'adaptive' } }, { thinking_budget: -1 }],
  [{ thinking: { type: 'disabled' } }, { thinking_budget: 0 }],
  [
    { thinking: { type: 'adaptive' }, reasoning_effort: 'low' },
    { thinking_budget: -1, reasoning_effort: 'low' },
  ],
])('reads the amount of thinking of %j', (fields, amount) => {
  expect(amountOf(fields)).toEqual({ ...amount, dropped: [] })
})

test.each([
  [
    { reasoning: { effort: 'a lot', summary: 'auto' } },
    {},
    ['reasoning.summary', 'reasoning.effort'],
  ],
  [
    { reasoning: { enabled: false, effort: 'high', max_tokens: 5 } },
    { thinking_budget: 0 },
    ['reasoning.effort', 'reasoning.max_tokens'],
  ],
  [
    { reasoning: { max_tokens: -2, enabled: 1, exclude: 'yes' } },
    {},
    ['reasoning.exclude', 'reasoning.max_tokens', 'reasoning.enabled'],
  ],
  [{ reasoning: 'high', thinking: true }, {}, ['reasoning', 'thinking']],
  [
    { thinking: { type: 'between_tools', budget_tokens: 1 } },
    {},
    ['thinking.budget_tokens', 'thinking.type'],
  ],
  [
    { reasoning: { effort: 'high' }, reasoning_effort: 'low' },
    { reasoning_effort: 'low' },
    ['reasoning.effort'],
  ],
  [
    { reasoning: { max_tokens: 500 }, thinking: { type: 'disabled' } },
    { thinking_budget: 500 },
    ['thinking.type'],
  ],
])('of %j reports what cannot be expressed', (fields, amount, dropped) => {
  expect(amountOf(fields)).toEqual({ ...amount, dropped })
})

test.each([
  [{ reasoning: { effort: 'high' } }, 'reasoning_effort', 'reasoning.effort'],
  [{ reasoning: { max_tokens: 9 } }, 'thinking_budget', 'reasoning.max_tokens'],
  [{ reasoning: { enabled: true } }, 'thinking_budget', 'reasoning.enabled'],
  [{ thinking: { type: 'adaptive' } }, 'thinking_budget', 'thinking.type'],
  [{ thinking_budget: 9 }, 'thinking_budget', 'thinking_budget'],
])('%j: errors about its %s name its own path', (fields, field, path) => {
  expect(paramOfChat(field, { model: 'm', messages, ...fields })).toBe(path)
})

test('a Claude with thinking budgets gets one', () => {
  const { dropped: _, ...amount } = amountOf({ reasoning: { max_tokens: 2000 } })
  const context = codecContext({ model: 'claude-sonnet-4-5' })
  const { body } = anthropic.codecs.chat!.encode({ model: 'm', messages, ...amount }, context)
  expect(body).toMatchObject({
    value: { thinking: { type: 'enabled', budget_tokens: 2000 } },
  })
})

test('an upstream that accepts the object gets it unchanged', () => {
  const request = { messages, reasoning: { effort: 'high' } }
  expect(passes(nativeChat(), request, 'gpt-5')).toBe(false)
  expect(passes(nativeChat({ effortIn: ['thinking'] }), request, 'm')).toBe(false)
  expect(passes(nativeChat({ effortIn: ['reasoning'] }), request, 'm')).toBe(true)
})
