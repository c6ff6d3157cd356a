// Every address of the APIs whose clients are served is offered, or answers that it is not.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../support/npm.ts'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

type Addressed = readonly [method: string, path: string]

/** Methods and paths of OpenAI's published OpenAPI document, of 2026-11. */
const openAi: readonly Addressed[] = readFileSync(
  join(import.meta.dirname, 'openai-addresses.txt'),
  'utf8',
)
  .trim()
  .split('\n')
  .flatMap((line) => {
    const words = line.split(' ')
    return words.slice(0, -1).map((method) => [method, `/v1${words.at(-1)}`] as const)
  })

const methods: Readonly<Record<string, string>> = { getAPIList: 'get' }

/** What the installed SDK of Anthropic calls. */
function anthropic(): readonly Addressed[] {
  const folder = join(root, 'node_modules/@anthropic-ai/sdk/resources')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.mjs'))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /_client\.(\w+)\((?:path)?\s*[`']([^`']+)[`']/g,
      ),
    ])
    .map(([, method = '', path = '']) => [
      (methods[method] ?? method).toUpperCase(),
      (path.split('?')[0] ?? '').replaceAll(/\$\{[^}]+\}/g, 'x1'),
    ])
}

/** What the installed SDK of Google calls at the Gemini API. */
function google(): readonly Addressed[] {
  const source = readFileSync(join(root, 'node_modules/@google/genai/dist/node/index.mjs'), 'utf8')
  const called = source.matchAll(/formatMap\('([^']+)'[\s\S]{0,900}?httpMethod: '(\w+)'/g)
  return [...called]
    .filter(
      ([, path = '']) => !/^\{(?:name|operationName|models_url|parent|resourceName)\}/.test(path),
    )
    .map(([, path = '', method = '']) => [
      method,
      `/v1beta/${path}`
        .replace('/v1beta/upload/{api_version}', '/upload/v1beta')
        .replace(/\?.*/, '')
        .replace('{model}', 'models/m')
        .replace('{file_search_store_name}', 'fileSearchStores/s')
        .replaceAll(/\{\w+\}/g, 'x1'),
    ])
}

async function unknown(addresses: readonly Addressed[], headers: Record<string, string>) {
  const found: string[] = []
  const refused: string[] = []
  for (const [method, given] of addresses) {
    const path = given.replaceAll(/\{\w+\}/g, 'x1')
    const answer = await gateway.request(path, { method, headers })
    const text = await answer.text()
    if (answer.status === 405 || text.includes('Unknown path')) found.push(`${method} ${path}`)
    if (answer.status !== 501) continue
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(text).toMatch(/is not implemented by this gateway \([^)]+\).*\/docs lists/)
    refused.push(`${method} ${path}`)
  }
  return { found, refused }
}

test.each([
  ['OpenAI', () => openAi, 250, {}],
  ['Anthropic', anthropic, 200, { 'anthropic-version': '2023-06-01' }],
  ['Google', google, 20, { 'x-goog-api-client': 'google-genai-sdk/1' }],
] as const)('no address of %s is unknown', async (_, addresses, least, headers) => {
  const all = addresses()
  expect(all.length).toBeGreaterThan(least)
  const { found, refused } = await unknown(all, headers)
  expect(found).toEqual([])
  expect(refused.length).toBeGreaterThan(all.length / 3)
})

test.each([
  ['POST', '/openai/v1/batches'],
  ['POST', '/batches'],
  ['GET', '/v1/v1/chat/completions'],
  ['POST', '/v1beta/openai/vector_stores'],
  ['POST', '/upload/v1beta/files'],
  ['GET', '/v1/realtime?model=gpt-realtime'],
  ['GET', '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'],
  ['POST', '/v1alpha/auth_tokens'],
])('%s %s answers 501', async (method, path) => {
  expect((await gateway.request(path, { method })).status).toBe(501)
})

test.each([
  ['GET', '/v1/nothing'],
  ['POST', '/v1/chat/completion'],
  ['GET', '/v1beta/nothing'],
  ['GET', '/admin/v1/batches'],
])('%s %s is unknown', async (method, path) => {
  expect(await (await gateway.request(path, { method })).text()).toContain('Unknown path')
})
