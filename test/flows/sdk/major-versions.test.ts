// The official SDKs that the tests run with: the newest major version of each and an older one, as exact versions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { CohereClientV2 } from 'cohere-ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import packageFile from '../../../package.json' with { type: 'json' }
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { root } from '../../support/npm.ts'

interface Sdk {
  readonly newest: string
  readonly previous: string
  /** Sends one request to this address. */
  readonly ask: (url: string) => Promise<unknown>
  /** The header that tells the version. */
  readonly header: string
}

const model = 'm'
const messages = [{ role: 'user' as const, content: 'Hi' }]
const apiKey = 'k'

const sdks: readonly Sdk[] = [
  {
    newest: 'openai',
    previous: 'openai-previous',
    ask: (baseURL) => new OpenAI({ apiKey, baseURL, maxRetries: 0 }).models.retrieve(model),
    header: 'x-stainless-package-version',
  },
  {
    newest: '@anthropic-ai/sdk',
    previous: 'anthropic-previous',
    ask: (baseURL) => new Anthropic({ apiKey, baseURL, maxRetries: 0 }).models.retrieve(model),
    header: 'x-stainless-package-version',
  },
  {
    newest: '@google/genai',
    previous: 'genai-previous',
    ask: (baseUrl) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }).models.generateContent({
        model,
        contents: 'Hi',
      }),
    header: 'x-goog-api-client',
  },
  {
    newest: 'cohere-ai',
    previous: 'cohere-previous',
    ask: (environment) =>
      new CohereClientV2({ token: apiKey, environment }).chat({ model, messages }),
    header: 'x-fern-sdk-version',
  },
]

const declared: Readonly<Record<string, string>> = packageFile.devDependencies
/** The version that is installed under a name. Several packages do not export their package.json. */
function installed(name: string): string {
  const file = join(root, 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

describe.each(sdks)('the SDK $newest', ({ newest, previous, ask, header }) => {
  test('is installed in two major versions, each pinned', () => {
    const exact = /^(?:npm:(?<name>@?[\w/-]+)@)?(?<version>(?<major>\d+)\.\d+\.\d+)$/
    const [one, other] = [newest, previous].map((name) => exact.exec(declared[name] ?? '')?.groups)
    expect(other?.['name']).toBe(newest)
    expect(Number(one?.['major'])).toBeGreaterThan(Number(other?.['major']))
    expect([installed(newest), installed(previous)]).toEqual([one?.['version'], other?.['version']])
  })

  test('is used in the version of this test project', async () => {
    await using upstream = await fakeUpstream((_seen, response) => json(response, {}))
    await ask(upstream.url).catch(() => {})
    const name = process.env['SDKS'] === 'previous' ? previous : newest
    expect(upstream.seen[0]?.headers[header]).toContain(installed(name))
  })
})
