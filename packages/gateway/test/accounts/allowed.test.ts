// Names that contain each other: what is allowed of one says nothing of the other.
import { describe, expect, test } from 'vitest'
import { assertModel, covers, mayUse } from '../../src/accounts/allowed.ts'
import type { Caller } from '../../src/ports/api-key.ts'

const cases: readonly (readonly [pattern: string, model: string, isCovered: boolean])[] = [
  ['openai/*', 'openai/gpt', true],
  ['openai/*', 'openai/a/b', true],
  ['openai/*', 'openai-responses/gpt', false],
  ['openai/*', 'openai', false],
  ['openai/*', 'openai-', false],
  ['openai/*', 'my-openai/gpt', false],
  ['openai/*', 'x/openai/gpt', false],
  ['openai-responses/*', 'openai/gpt', false],
  ['openai/gpt', 'openai/gpt', true],
  ['openai/gpt', 'openai/gpt-mini', false],
  ['openai/gpt-mini', 'openai/gpt', false],
  ['openai/gpt', 'OpenAI/gpt', false],
  ['gpt-*', 'gpt-', true],
  ['gpt-*', 'gpt-5', true],
  ['gpt-*', 'gpt', false],
  ['gpt-*', 'openai/gpt-5', false],
  ['a*b', 'a*b', true],
  ['a*b', 'axb', false],
  ['*', 'anything/at/all', true],
  ['*', '', true],
  ['', 'a', false],
]

describe.each(cases)('the pattern %s and the model %s', (pattern, model, isCovered) => {
  test(isCovered ? 'match' : 'do not match', () => {
    expect(covers(pattern, model)).toBe(isCovered)
    const allowing = { id: 'key_1', kind: 'key', name: 'k', terms: { models: ['none', pattern] } }
    const caller = { holders: [allowing] } as unknown as Caller
    expect(mayUse(caller, model)).toBe(isCovered)
    const asserting = () => assertModel(caller, model)
    if (isCovered) expect(asserting).not.toThrow()
    else expect(asserting).toThrow('This key may not use the model')
  })
})
