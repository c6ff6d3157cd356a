// What a request claims of the limits of its levels, and what it turns out to have used of them.
import { describe, expect, test } from 'vitest'
import type { Call } from '../src/call/call.ts'
import { actualOf } from '../src/admit/admission.ts'
import { countsAttempt, heldBudget, limitsOf } from '../src/admit/claims.ts'
import type { Holder, Terms } from '../src/ports/account.ts'
import type { Caller } from '../src/ports/api-key.ts'

const holder = (kind: Holder['kind'], terms: Terms = {}) =>
  ({ id: `${kind}_1`, kind, name: kind, terms }) as Holder
const callerOf = (...holders: readonly Holder[]) => ({ id: 'key_1', holders }) as unknown as Caller

describe('default limits for keys without their own', () => {
  const defaults = { requestsPerMinute: 5, tokensPerMinute: 500, concurrentRequestsPerKey: 2 }
  const own = { requestsPerMinute: 7, tokensPerMinute: 700, concurrentRequests: 3 }
  const named = (prefix: string, of: typeof own) => [
    `${prefix}:requests ${of.requestsPerMinute}`,
    `${prefix}:tokens ${of.tokensPerMinute}`,
    `${prefix} ${of.concurrentRequests}`,
  ]
  const usual = { requestsPerMinute: 5, tokensPerMinute: 500, concurrentRequests: 2 }

  test.each<[string, readonly Holder[], readonly string[]]>([
    ['a key', [holder('key')], named('key_1', usual)],
    ['a key with its own', [holder('key', own)], named('key_1', own)],
    [
      'a key below levels without any',
      [holder('key'), holder('user'), holder('team'), holder('organization')],
      named('key_1', usual),
    ],
    [
      'a key below levels with their own',
      [holder('key'), holder('user', own), holder('team', own), holder('organization', own)],
      [
        ...named('key_1', usual),
        ...named('user_1', own),
        ...named('team_1', own),
        ...named('organization_1', own),
      ],
    ],
    ['a caller without a key', [holder('user'), holder('team')], []],
  ])('apply to %s', (_name, holders, expected) => {
    const { counted, tokens } = limitsOf(callerOf(...holders), defaults)
    const claims = [...counted, ...tokens]
    expect(claims.map(({ bucket, limit }) => `${bucket} ${limit}`).toSorted()).toEqual(
      [...expected].toSorted(),
    )
  })
})

describe('a budget counts', () => {
  const counts = (of: { model?: string; tag?: string }, names: string[], tags: string[] = []) =>
    heldBudget(holder('key'), { id: 'b', window: 'day', limitMicroUsd: 1, ...of }, {}).counts(
      names,
      tags,
    )

  test.each([
    ['x', ['x'], true],
    ['x', ['xy'], false],
    ['xy', ['x'], false],
    ['x', ['a', 'x'], true],
    ['x', [], false],
  ])('for the tag %s a call with %j', (tag, tags, isCounted) => {
    expect(counts({ tag }, ['m'], tags)).toBe(isCounted)
  })

  test.each([
    ['a/*', { provider: 'a', model: 'm' }, true],
    ['a/*', { provider: 'a-b', model: 'm' }, false],
    ['a-b/*', { provider: 'a', model: 'b/m' }, false],
    ['m', { provider: 'a', model: 'm' }, true],
    ['m', { provider: 'a', model: 'm-2' }, false],
    ['a/m', { provider: 'a', model: 'm' }, true],
    ['a/m', { provider: 'a', model: 'm-2' }, false],
    ['m*', { provider: 'a', model: 'm-2' }, true],
    ['fast', { provider: 'a', model: 'm', requestedModel: 'fast' }, true],
    ['fast', { provider: 'a', model: 'm', requestedModel: 'faster' }, false],
  ])('for the model %s an attempt at %j', (pattern, attempt, isCounted) => {
    expect(countsAttempt(pattern, attempt)).toBe(isCounted)
    const { provider, model, requestedModel = model } = attempt as { [name: string]: string }
    const names = [`${provider}/${model}`, model ?? '', requestedModel ?? '']
    expect(counts({ model: pattern }, names)).toBe(isCounted)
  })
})

describe('the usage of a request', () => {
  const usage = { inputTokens: 7, outputTokens: 3 }
  test.each<[string, object, boolean, number | undefined]>([
    ['nobody was asked', { attempts: 0 }, false, 0],
    ['nobody was asked, and the caller left', { attempts: 0 }, true, 0],
    ['its attempts failed', { attempts: 2, outcome: 'failed' }, false, 0],
    ['they failed, and one told its usage', { attempts: 2, outcome: 'failed', usage }, false, 10],
    ['it was answered', { attempts: 1, outcome: 'completed', usage }, false, 10],
    ['the caller left in its middle, and it told', { attempts: 1, usage }, true, 10],
    ['as was reserved: nothing was told', { attempts: 1, outcome: 'completed' }, false, undefined],
    ['as was reserved: the caller left', { attempts: 1, outcome: 'cancelled' }, true, undefined],
  ])('of tokens: %s', (_name, trail, disconnected, tokens) => {
    const call = { trail: { spent: [], ...trail } } as unknown as Call
    expect(actualOf(call, [], disconnected).tokens).toBe(tokens)
  })

  test('is zero before it became a call', () => {
    expect(actualOf(undefined, [], false)).toEqual({ tokens: 0, nanoUsd: 0 })
  })
})
