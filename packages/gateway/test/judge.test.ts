// What a response that broke off says of its target and of the key that was used.
import { expect, test } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { judgeBroken } from '../src/attempt/judge.ts'
import { createHealth } from '../src/route/health.ts'
import type { Target } from '../src/route/routing.ts'
import type { CallRun } from '../src/attempt/call-run.ts'

const target = { id: 'up/m', providerId: 'up', model: 'm' } as Target
const use = { provider: 'up', model: 'm', caller: 'key' }
const refused = (upstreamStatus: number) =>
  new GatewayError('upstream_refused_us', 'No', { upstreamStatus })

test.each<[string, GatewayError, number, { readonly isOpen: boolean; readonly rests: boolean }]>([
  ['the upstream cut it', new GatewayError('upstream_cut', ''), 0, { isOpen: true, rests: false }],
  [
    'the caller paused for just less than a second',
    new GatewayError('upstream_cut', ''),
    999,
    { isOpen: true, rests: false },
  ],
  [
    'the caller paused for a second',
    new GatewayError('upstream_cut', ''),
    1_000,
    { isOpen: false, rests: false },
  ],
  [
    'the caller disconnected',
    new GatewayError('cancelled', ''),
    0,
    { isOpen: false, rests: false },
  ],
  [
    'the request was invalid',
    new GatewayError('upstream_rejected', ''),
    0,
    { isOpen: false, rests: false },
  ],
  ['the provider key was rejected', refused(401), 0, { isOpen: false, rests: true }],
  [
    'the provider key was rejected while the caller was slow',
    refused(401),
    1_000,
    { isOpen: false, rests: true },
  ],
  ['the provider key lacks a permission', refused(403), 0, { isOpen: false, rests: false }],
])('health after a response that broke off: %s', (_name, error, heldMs, { isOpen, rests }) => {
  const health = createHealth(() => 0)
  const run = {
    gateway: { health },
    call: { key: { id: 'key' } },
    route: { options: { breaker: { failures: 1, windowMs: 1_000, cooldownMs: 1_000 } } },
  } as unknown as CallRun
  judgeBroken(run, { target, secret: 's', heldMs }, error)
  expect(health.available('up/m', 'key')).toBe(!isOpen)
  expect(health.keys.nextKey(use, ['s']) === undefined).toBe(rests)
})
