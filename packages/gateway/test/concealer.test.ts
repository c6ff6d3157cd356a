import { GatewayError } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { createConfig } from '../../sluice/src/config/config.ts'
import { readEnvironment } from '../../sluice/src/config/env.ts'
import type { ConfigFile } from '../../sluice/src/config/schema.ts'
import { secretSettings } from '../../sluice/src/config/shown-settings.ts'
import { concealedSettings } from '../src/route/concealed-settings.ts'
import { configuredUpstreams } from '../src/route/upstreams.ts'
import { Concealer } from '../src/call/concealer.ts'
import { providers } from '../src/providers/index.ts'

const account = JSON.stringify({
  type: 'service_account',
  client_email: 'robot@project.example',
  private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\n',
})

const content: ConfigFile = {
  providers: {
    acme: {
      type: 'openai',
      baseUrl: 'https://llm.acme.example:8443/v1',
      keys: ['ACMEKEYONE01', 'ACMEKEYTWO02/+='],
      headers: {
        'x-proxy': 'hunter2-of-acme',
        authorization: 'Basic dXNlcjpwYXNzd29yZC1vZi1hY21l',
        'anthropic-beta': 'some-beta-2025',
      },
    },
    house: { type: 'openai', baseUrl: 'http://reader:door-code@vllm:8000/v1', key: 'k' },
    vertex: { kind: 'google-vertex', key: account, project: 'p', region: 'r' },
    package: { type: 'ai-sdk', package: '@ai-sdk/acme', key: 'PACKAGEKEY0123' },
    off: { kind: 'openai', key: 'OFFKEY01234567', enabled: false },
    public: { kind: 'mistral', key: 'MISTRALKEY0123' },
  },
  keys: [{ name: 'app', key: 'callers-secret-0123' }],
}

const variables = {
  SLUICE_API_KEYS: 'environment-key-one,environment-key-two',
  SLUICE_ADMIN_KEY: 'administrators-key-0123',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  AWS_SESSION_TOKEN: 'FwoGZXIvYXdzEXAMPLETOKEN',
  AWS_REGION: 'eu-central-1',
  AZURE_API_KEY: '0123456789abcdef0123456789abcdef',
  DATABASE_URL: 'postgres://sluice:database-password@db.inside.example/sluice',
  SHELL: '/bin/bash',
}

function concealer(): Concealer {
  const config = createConfig(readEnvironment(variables), content, 'sluice.yaml')
  const made = new Concealer()
  const upstreams = configuredUpstreams(config, providers).values()
  made.learn(concealedSettings(config, upstreams, secretSettings(config)))
  return made
}

const secrets = [
  'ACMEKEYONE01',
  'ACMEKEYTWO02/+=',
  encodeURIComponent('ACMEKEYTWO02/+='),
  'hunter2-of-acme',
  'password-of-acme',
  'dXNlcjpwYXNzd29yZC1vZi1hY21l',
  'door-code',
  'robot@project.example',
  '-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\n',
  'PACKAGEKEY0123',
  'OFFKEY01234567',
  'MISTRALKEY0123',
  'callers-secret-0123',
  'environment-key-one',
  'environment-key-two',
  'administrators-key-0123',
  'AKIAIOSFODNN7EXAMPLE',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'FwoGZXIvYXdzEXAMPLETOKEN',
  '0123456789abcdef0123456789abcdef',
  'database-password',
  'sk-of-nobody-we-know',
  'ya29.a0AfH6SMBx',
]

describe('masks configured secrets', () => {
  const made = concealer()

  test.each(secrets)('%j in answers and in the log', (secret) => {
    const text = `It said <${secret}>, "${secret}" and ${secret}.`
    for (const read of [made.shown(text), made.logged(text)]) {
      expect(read).not.toContain(secret)
      expect(read).toContain('It said')
    }
  })

  test.each([
    'https://llm.acme.example:8443/v1/chat/completions',
    'llm.acme.example',
    'LLM.ACME.EXAMPLE:8443',
    'http://vllm:8000/v1',
    'vllm:8000',
    'db.inside.example',
    'https://other.corp.internal/x',
    'node-7.inference.svc.cluster.local:9000',
    'wss://10.1.2.3/x',
    '10.1.2.3:80',
    '[fd00::1]:8080',
    '/srv/app/server.py',
    '/home/somebody/model.bin',
  ])('the address %s in answers, but not in the log', (address) => {
    const text = `The proxy at ${address} said no`
    expect(made.shown(text)).toMatch(/^The proxy at \S*\*\*\*\S* said no$/)
    expect(made.shown(text)).not.toContain(address)
    expect(made.logged(text)).toContain(address.replace('https://', ''))
  })

  test.each([
    'See https://platform.openai.com/docs/guides and https://docs.mistral.ai/api.',
    'vllm has no model m: use /v1/models, or gpt-4.1-mini-2025-04-14',
    'Unknown beta some-beta-2025 in eu-central-1 under /bin/bash',
    'Mistral at api.mistral.ai is busy; k is too small.',
    'messages[0].content: expected text, got 1.5e3 (at 12:30:00)',
  ])('and leaves other text unchanged: %s', (text) => {
    expect(made.shown(text)).toBe(text)
    expect(made.logged(text)).toBe(text)
  })
})

test('does not show part of a secret that crosses the length limit', () => {
  const made = concealer()
  for (let before = 19_900; before < 20_010; before += 3)
    expect(made.logged(`${'x '.repeat(before / 2)}ACMEKEYONE01`)).not.toContain('ACME')
})

test('keeps masking secrets that were configured earlier', () => {
  const made = concealer()
  made.learn({ secrets: ['ANOTHERKEY012345'], hosts: [] })
  expect(made.shown('ACMEKEYONE01 ANOTHERKEY012345')).toBe('*** ***')
})

test('masks every text of an error for callers and the log', () => {
  const made = concealer()
  const secret = 'ACMEKEYONE01'
  const error = made.conceal(
    new GatewayError('upstream_rejected', secret, {
      param: secret,
      publicCode: secret,
      upstreamCode: secret,
      upstreamRequestId: secret,
      cause: new Error(secret),
      status: 422,
    }),
  )
  expect(JSON.stringify([error.message, error.details])).not.toContain(secret)
  expect(String(error.details.cause)).toContain('***')
  expect(error.status).toBe(422)
  expect(made.conceal(error)).toBe(error)
})

test('masking is linear in texts of partial matches', () => {
  const made = concealer()
  const begun = performance.now()
  for (const piece of ['Bearer ', 'sk-', '1.1.', 'a.', 'https://', 'a', '[::', '/srv/', '.local'])
    made.shown(piece.repeat(20_000))
  expect(performance.now() - begun).toBeLessThan(5_000)
})
