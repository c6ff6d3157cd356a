import { describe, expect, test } from 'vitest'
import { createConfig, loadConfig } from '../../src/config/config.ts'
import { readEnvironment, secret } from '../../src/config/env.ts'
import type { Variables } from '../../../gateway/src/settings/settings.ts'
import type { ConfigFile } from '../../src/config/schema.ts'

const configOf = (variables: Variables, content: ConfigFile = {}) =>
  createConfig(readEnvironment(variables), content, '/etc/sluice.yaml')

test('has defaults without any setting', () => {
  const config = configOf({})
  expect(config.server).toEqual({
    host: '127.0.0.1',
    port: 8080,
    drainMs: 0,
    workers: 1,
    warmStart: true,
    bodyLimitBytes: 134_217_728,
    inflatedLimitBytes: 67_108_864,
    bodyLimitValues: 500_000,
    requestTimeoutMs: 120_000,
    stopTimeoutMs: 10_000,
    workerTimeoutMs: 30_000,
    allowPrivateMedia: false,
  })
  expect(config.log).toEqual({ level: 'info' })
  expect(config.builtin.enabled).toBe('auto')
  expect(config.builtin.aliases['gpt-4o']).toBe('builtin-chat')
  expect(config.dataFolder).toBe(`${process.cwd()}/data`)
  expect(config.apiKeys).toEqual([])
  expect(config.adminKey).toBeUndefined()
})

test.each<[Variables, ConfigFile['server'], { host: string; port: number }]>([
  [{ SLUICE_HOST: '0.0.0.0', SLUICE_PORT: '9000' }, {}, { host: '0.0.0.0', port: 9000 }],
  [{ SLUICE_HOST: '0.0.0.0' }, { host: 'h', port: 1 }, { host: '0.0.0.0', port: 1 }],
  [{ HOST: '::' }, { host: 'h', port: 1 }, { host: '::', port: 1 }],
  [{ HOST: '::', PORT: '3000' }, {}, { host: '::', port: 3000 }],
  [{ SLUICE_PORT: '9000', PORT: '3000' }, { port: 1 }, { host: '127.0.0.1', port: 9000 }],
  [{ PORT: '3000' }, { port: 1, host: 'h' }, { host: 'h', port: 3000 }],
  [{ SLUICE_PORT: '', PORT: '' }, { port: 1 }, { host: '127.0.0.1', port: 1 }],
  [{ SLUICE_PORT: '0' }, { port: 1 }, { host: '127.0.0.1', port: 0 }],
  [{ SLUICE_PORT: ' 8081 ' }, {}, { host: '127.0.0.1', port: 8081 }],
])('the variables %o override the settings %o', (variables, server, expected) => {
  expect(configOf(variables, { server: server ?? {} }).server).toMatchObject(expected)
})

test.each<[Variables, ConfigFile['storage'], string | undefined]>([
  [{}, {}, undefined],
  [{ DATABASE_URL: ' ' }, {}, undefined],
  [{ DATABASE_URL: 'postgres://a/b' }, {}, 'postgres://a/b'],
  [{}, { url: 'postgres://c/d' }, 'postgres://c/d'],
  [{ DATABASE_URL: 'postgresql://a/b' }, { url: 'postgres://c/d' }, 'postgresql://a/b'],
])('the database of %o overrides %o', (variables, storage, url) => {
  expect(configOf(variables, { storage: storage ?? {} }).storage.url).toBe(url)
})

test('reports an invalid database URL without its password', () => {
  const wrong = () => configOf({ DATABASE_URL: 'mysql://me:secret@host/db' })
  expect(wrong).toThrow('DATABASE_URL must begin with postgres:// or postgresql://')
  expect(wrong).not.toThrow('secret')
})

describe('names an invalid setting in the error:', () => {
  test.each([
    [{ SLUICE_PORT: 'abc' }, 'SLUICE_PORT must be a whole number from 0 to 65535, got "abc"'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535, got "65536"'],
    [{ SLUICE_PORT: '-1' }, 'SLUICE_PORT must be a whole number from 0 to 65535, got "-1"'],
    [{ SLUICE_PORT: '80.5' }, 'SLUICE_PORT must be a whole number from 0 to 65535, got "80.5"'],
    [
      { SLUICE_LOG_LEVEL: 'loud' },
      'SLUICE_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, got "loud"',
    ],
  ])('%o', (variables, message) => {
    expect(() => configOf(variables)).toThrow(message)
  })

  test('SLUICE_CONFIG with a missing file', async () => {
    const environment = readEnvironment({ SLUICE_CONFIG: '/nowhere/sluice.yaml' })
    await expect(loadConfig(environment)).rejects.toThrow(
      'SLUICE_CONFIG names /nowhere/sluice.yaml, and there is no such file',
    )
  })
})

test('trims white space around keys', () => {
  const config = configOf({ SLUICE_API_KEYS: ' one, sk-two-2 ,,three', SLUICE_ADMIN_KEY: 'boss' })
  expect(config.apiKeys).toEqual(['one', 'sk-two-2', 'three'])
  expect(config.adminKey).toBe('boss')
})

test('treats an empty secret as absent', () => {
  expect(secret('A', { A: ' x ' })).toBe('x')
  expect(secret('A', { A: ' ' })).toBeUndefined()
  expect(secret('A', {})).toBeUndefined()
})

test('removes the trailing slash of the public URL', () => {
  const config = configOf({}, { server: { publicUrl: 'https://models.example.com/' } })
  expect(config.server.publicUrl).toBe('https://models.example.com')
})
