// The schemas of Cohere's own client judge what is sent to Cohere and what stands for its answers in the golden cases: they are
// made of Cohere's definition of its API.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

interface Schema {
  parse(
    value: unknown,
    options: { readonly unrecognizedObjectKeys: 'fail' | 'passthrough' },
  ): { readonly ok: boolean; readonly errors?: readonly object[] }
}

const require = createRequire(import.meta.url)
const serialization = join(dirname(require.resolve('cohere-ai')), 'serialization')

/** A schema of the client, by its file; the package has no door for them. */
function schema(file: string): Schema {
  const exported = require(join(serialization, `${file}.js`)) as Record<string, Schema>
  return exported[file.split('/').at(-1) ?? '']!
}

const requests: Readonly<Record<string, Schema>> = {
  '/v2/chat': schema('resources/v2/client/requests/V2ChatRequest'),
  '/v2/embed': schema('resources/v2/client/requests/V2EmbedRequest'),
  '/v2/rerank': schema('resources/v2/client/requests/V2RerankRequest'),
}
const answers: Readonly<Record<string, Schema>> = {
  chat: schema('resources/v2/types/V2ChatResponse'),
  embed: schema('types/EmbedByTypeResponse'),
  rerank: schema('resources/v2/types/V2RerankResponse'),
}
const event = schema('resources/v2/types/V2ChatStreamResponse')

const golden = join(import.meta.dirname, 'golden')
const cases = ['chat', 'embed', 'rerank'].flatMap((operation) =>
  readdirSync(join(golden, operation)).map((name) => [operation, name] as const),
)
const having = (ending: string) =>
  cases
    .map(([operation, name]) => [operation, join(golden, operation, name, ending)] as const)
    .filter(([, path]) => existsSync(path))
/** Failures are none, and a refusal ends with a word of the first version, which the second has not. */
const isAnswer = ([, path]: readonly [string, string]) => !/error|refusal/.test(path)
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

test.each(having('cohere.sent.json'))(
  'sent requests match the SDK’s schema of %s: %s',
  (_, path) => {
    const { path: address, body } = read(path) as { path: string; body: object }
    // The client adds it by itself.
    const { stream: _stream, ...fields } = body as { stream?: boolean }
    const judged = requests[address]?.parse(fields, { unrecognizedObjectKeys: 'fail' })
    expect(judged).toMatchObject({ ok: true })
  },
)

test.each(having('cohere.received.json').filter(isAnswer))(
  'received answers match the SDK’s schema of %s: %s',
  (operation, path) => {
    const judged = answers[operation]?.parse(read(path), { unrecognizedObjectKeys: 'passthrough' })
    expect(judged).toMatchObject({ ok: true })
  },
)

test.each(having('cohere.received.sse').filter(isAnswer))(
  'received stream events match the SDK’s schema of %s: %s',
  (_, path) => {
    const lines = readFileSync(path, 'utf8').split('\n')
    const data = lines.filter((line) => line.startsWith('data: {')).map((line) => line.slice(6))
    expect(data.length).toBeGreaterThan(2)
    for (const text of data)
      expect(
        event.parse(JSON.parse(text), { unrecognizedObjectKeys: 'passthrough' }),
        text,
      ).toMatchObject({ ok: true })
  },
)
