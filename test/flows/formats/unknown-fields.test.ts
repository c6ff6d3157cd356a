// A field that nobody knows, anywhere in a request, reaches an upstream, is named as dropped, or refuses the request by its name;
// also where caller and upstream speak one format and the bytes are changed on their way.
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ProviderConfig } from '../../../packages/gateway/src/settings/schema-provider.ts'
import { offeredBy } from '../../../packages/gateway/src/attempt/offered.ts'
import { providers } from '../../../packages/gateway/src/providers/index.ts'
import type { Provider } from '../../../packages/gateway/src/providers/provider.ts'
import { GatewayError } from '../../../packages/contract/src/core/errors.ts'
import { operations } from '../../../packages/contract/src/operations/index.ts'
import type { ClientFormat } from '../../../packages/protocols/src/client-format.ts'
import { formats } from '../../../packages/protocols/src/formats.ts'
import { codecContext } from '../../support/codec-context.ts'
import { foldersIn, goldenCase } from '../../support/formats/golden-files.ts'
import {
  isOwnText,
  markerOf,
  namesField,
  type UnknownField,
  unknownFieldsOf,
  withUnknown,
} from '../../support/generated/unknown-fields.ts'
import { wholeRequests } from '../../support/generated/whole-requests.ts'
import '../../support/property-limits.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

let gateway: Started
beforeAll(async () => {
  const settings = { key: 'k', project: 'p', region: 'us-east-1', resource: 'r' }
  gateway = await start({
    providers: {
      ...Object.fromEntries(
        [...providers.keys()].map((id): [string, ProviderConfig] => [id, settings]),
      ),
      own: { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', key: 'k' },
    },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** All providers, and a server of one's own. */
const targets = [...providers.keys(), 'own']

/** Of the families whose requests are changed, and one of none. */
const models = [
  'm',
  'gpt-4o',
  'gpt-5.4',
  'o3',
  'claude-sonnet-4-5',
  'claude-sonnet-5-5',
  'claude-opus-4-8',
  'gemini-2.5-flash',
  'gemini-3-pro-preview',
  'deepseek-v4-pro',
  'qwen3-32b',
  'codestral-latest',
  'llama-3.3-70b',
]

/** The models of providers whose requests are changed by the model's name. */
const changedModels: Readonly<Record<string, string>> = {
  alibaba: 'qwen3-32b',
  anthropic: 'claude-sonnet-4-5',
  'azure-openai-v1': 'o3',
  deepseek: 'deepseek-v4-pro',
  google: 'gemini-2.5-flash',
  'google-vertex': 'gemini-3-pro-preview',
  'google-vertex-anthropic': 'claude-sonnet-5-5',
  groq: 'compound-beta',
  openai: 'gpt-5.4',
}

const image = 'data:image/png;base64,iVBORw0KGgo='

/** Requests of which providers and models change something. */
const changed: Readonly<Record<string, readonly Fields[]>> = {
  chat: [
    {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Be quick.' },
        { role: 'user', content: 'Ho' },
      ],
      max_completion_tokens: 500,
      stream: true,
      stream_options: { include_usage: true },
      seed: 7,
      reasoning_effort: 'low',
    },
    {
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: 'no' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'Sun' },
        { role: 'user', content: 'Ho' },
        { role: 'assistant', content: 'So', reasoning_content: 'Hm' },
      ],
      tools: [
        { type: 'function', function: { name: 'f', parameters: { anyOf: [{ type: 'object' }] } } },
      ],
      tool_choice: 'required',
      thinking: { type: 'enabled', budget_tokens: 2000 },
    },
    {
      messages: [{ role: 'user', content: 'Hi' }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object' } },
      },
      thinking_budget: 2000,
    },
    {
      messages: [{ role: 'user', content: 'Hi' }],
      web_search_options: { filters: { allowed_domains: ['a.example'] } },
      plugins: [{ id: 'web' }],
    },
  ],
  messages: [
    {
      max_tokens: 4000,
      messages: [{ role: 'user', content: 'Hi' }],
      thinking: { type: 'adaptive' },
      output_config: {
        effort: 'xhigh',
        format: {
          type: 'json_schema',
          schema: { type: 'object', properties: { a: { oneOf: [{ type: 'string' }] } } },
        },
      },
      tools: [{ name: 'f', strict: true, input_schema: { type: 'object', properties: {} } }],
    },
    {
      max_tokens: 4000,
      messages: [{ role: 'user', content: 'Hi' }],
      thinking: { type: 'disabled' },
      temperature: 0.5,
      top_p: 0.5,
      tools: [{ name: 'f', input_schema: { anyOf: [{ type: 'object' }] } }],
      tool_choice: { type: 'any' },
    },
  ],
  responses: [
    {
      input: 'Hi',
      reasoning: { effort: 'xhigh', summary: 'auto' },
      text: { verbosity: 'low' },
      max_output_tokens: 500,
      tools: [{ type: 'web_search', filters: { blocked_domains: ['a.example'] } }],
      include: ['reasoning.encrypted_content'],
    },
  ],
  generateContent: [
    {
      contents: [{ parts: [{ text: 'Hi' }] }],
      generationConfig: {
        presencePenalty: 0.5,
        thinkingConfig: { thinkingLevel: 'low', includeThoughts: true },
      },
    },
  ],
  rerank: [{ query: 'q', documents: [{ text: 'a' }, 'b'], rank_fields: ['text'] }],
  createImage: [
    {
      input: { messages: [{ role: 'user', content: [{ text: 'A gate' }] }] },
      parameters: { size: '1024*1024' },
    },
  ],
  speak: [{ input: 'Hi', voice: 'alloy', stream_format: 'sse' }],
}

const golden = join(import.meta.dirname, '../../../packages/protocols/test/golden')

/** Formats with the bodies of another one. */
const bodiesOf: Readonly<Record<string, string>> = {
  countTokens: 'generateContent',
  messagesCountTokens: 'messages',
  responsesCompact: 'responses',
  responsesInputTokens: 'responses',
  streamGenerateContent: 'generateContent',
}

function goldenOf({ id, operation, isOwn }: ClientFormat): readonly Fields[] {
  const name = isOwn === true ? 'request.json' : `${bodiesOf[id] ?? id}.client.json`
  return foldersIn(join(golden, operation))
    .map((folder) => goldenCase(join(golden, operation, folder)))
    .flatMap((one) => (one.has(name) ? [one.json(name) as Fields] : []))
}

function documentsOf(format: ClientFormat): readonly Fields[] {
  const like = bodiesOf[format.id] ?? format.id
  const documents = [...goldenOf(format), ...(wholeRequests[like] ?? []), ...(changed[like] ?? [])]
  return documents.map(
    (document) =>
      // Nothing is fetched here.
      JSON.parse(
        JSON.stringify(document).replaceAll(/"https?:[^"]*\.(?:png|jpg)"/g, `"${image}"`),
      ) as Fields,
  )
}

interface Outcome {
  readonly mode: 'native' | 'translated' | 'engine' | 'refused'
  readonly upstream?: { readonly body: unknown }
  readonly dropped: readonly string[]
  readonly error?: { readonly param: string | null }
}

async function explained(format: ClientFormat, model: string, document: Fields): Promise<Outcome> {
  const path = format.paths[0]!.replace('{model}', encodeURIComponent(model))
  const request = format.modelIn === 'path' ? document : { ...document, model }
  const response = await gateway.post('/admin/v1/explain', { path, request }, { key: adminKey })
  const body = (await response.json()) as {
    readonly targets?: readonly Outcome[]
    readonly error?: { readonly param: string | null }
  }
  return (
    body.targets?.[0] ?? { mode: 'refused', dropped: [], ...(body.error && { error: body.error }) }
  )
}

/** The fields that vanished; none if the request is refused whatever is in it. */
async function lostOf(
  format: ClientFormat,
  model: string,
  { document, fields }: { readonly document: Fields; readonly fields: readonly UnknownField[] },
): Promise<{ readonly mode: Outcome['mode']; readonly lost: readonly UnknownField[] }> {
  const outcome = await explained(format, model, withUnknown(document, fields))
  const { mode, dropped, error } = outcome
  if (mode === 'refused') {
    const isNamed = fields.some((field) => namesField(error?.param ?? '', field))
    if (isNamed || (await explained(format, model, document)).mode === 'refused')
      return { mode, lost: [] }
  }
  const sent = JSON.stringify(outcome.upstream?.body ?? null)
  const lost = fields.filter(
    (field) => !sent.includes(markerOf(field)) && !dropped.some((path) => namesField(path, field)),
  )
  return { mode, lost }
}

const posted = formats.filter(({ operation }) => operations[operation].method === 'POST')
const isForm = ({ isOwn, operation }: ClientFormat): boolean =>
  isOwn === true && operations[operation].body !== 'json'

function offering({ operation }: ClientFormat): readonly string[] {
  return targets.filter((target) => offeredBy(providerOf(target), operation) !== undefined)
}

function providerOf(target: string): Provider {
  return providers.get(target) ?? providers.get('openai')!
}

const numRuns = Number(process.env['UNKNOWN_FIELDS_RUNS'] ?? 150)

it.each(posted.filter(({ id }) => (bodiesOf[id] ?? id) in changed))(
  'nothing of a request for $id is lost where something is changed',
  async (format) => {
    for (const document of changed[bodiesOf[format.id] ?? format.id] ?? [])
      for (const target of offering(format)) {
        const model = `${target}/${changedModels[target] ?? 'm'}`
        const fields = unknownFieldsOf(document).filter((field) => !isOwnText(field))
        const { lost } = await lostOf(format, model, { document, fields })
        expect(lost, model).toEqual([])
      }
  },
)

it.each(posted.filter((format) => !isForm(format)))(
  'nothing of a request for $id is lost silently',
  async (format) => {
    const given = fc.constantFrom(...documentsOf(format)).chain((document) =>
      fc.record({
        document: fc.constant(document),
        target: fc.constantFrom(...offering(format)),
        model: fc.constantFrom(...models),
        fields: fc.subarray(
          unknownFieldsOf(document).filter((field) => !isOwnText(field)),
          { minLength: 1 },
        ),
      }),
    )
    const modes = new Set<string>()
    await fc.assert(
      fc.asyncProperty(given, async ({ target, model, ...sample }) => {
        const { mode, lost } = await lostOf(format, `${target}/${model}`, sample)
        modes.add(mode)
        expect(lost).toEqual([])
      }),
      { numRuns },
    )
    const isPassed = offering(format).some(
      (target) => providerOf(target).protocol.native[format.id] !== undefined,
    )
    expect(modes.has('native')).toBe(isPassed)
  },
)

/** What an upstream gets of a form, and what is named. */
function encodedForm(target: string, { operation }: ClientFormat, request: Fields) {
  const named: string[] = []
  const note = (param: string): void => void named.push(param)
  const bytes = new Uint8Array([1])
  const { codec } = offeredBy(providerOf(target), operation)!
  try {
    const { body } = codec.encode(
      // As the schema has it, but for what is added.
      request as never,
      codecContext({
        leftOut: note,
        unsupported: note,
        settings: { project: 'p' },
        media: new Map([['https://example.com/a.png', { bytes, contentType: 'image/png' }]]),
      }),
    )
    return { sent: JSON.stringify(body), named }
  } catch (thrown) {
    return { sent: undefined, named: [GatewayError.from(thrown).details.param ?? ''] }
  }
}

it.each(posted.filter(isForm))('nothing of a form for $id is lost silently', (format) => {
  const lost = offering(format).flatMap((target) =>
    goldenOf(format).flatMap((document) => {
      if (encodedForm(target, format, document).sent === undefined) return []
      return unknownFieldsOf(document).filter((field) => {
        // A file has no fields.
        if (/^(?:file|image\[\d+\]|mask|input_reference)$/.test(field.place)) return false
        const { sent = '', named } = encodedForm(target, format, withUnknown(document, [field]))
        return !sent.includes(markerOf(field)) && !named.some((path) => namesField(path, field))
      })
    }),
  )
  expect(lost).toEqual([])
})
