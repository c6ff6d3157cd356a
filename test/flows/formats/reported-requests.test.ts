// Requests as observed from clients, in every format, to strict upstreams of every other format: each arrives in a
// form that the upstream accepts, or is rejected before the upstream is called. The cases are data.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cohereModel, responsesModel } from '../../support/fakes/further-models.ts'
import { makers, type Script } from '../../support/fakes/scripted-models.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

type Upstream = Parameters<typeof inFrontOf>[0]

interface Case {
  readonly name: string
  readonly face: keyof typeof faces
  /** The upstreams that it is not sent to. */
  readonly refused: readonly Upstream[]
  /** Why it is refused there, where it is. */
  readonly reason?: string
  readonly body: Readonly<Record<string, unknown>>
}

const faces = {
  chat: { own: 'openai', path: () => '/v1/chat/completions' },
  messages: { own: 'anthropic', path: () => '/v1/messages' },
  responses: { own: 'openai-responses', path: () => '/v1/responses' },
  generateContent: {
    own: 'gemini',
    path: (model: string) => `/v1beta/models/${model}:generateContent`,
  },
} as const

const script: Script = () => ({ text: 'Hi' })
const { anthropic, gemini, openai } = makers
const upstreams = {
  anthropic: [anthropic.answering(script), anthropic.model],
  gemini: [gemini.answering(script), gemini.model],
  openai: [openai.answering(script), openai.model],
  'openai-responses': [responsesModel(script), openai.model],
  cohere: [cohereModel(script), 'command-a-03-2025'],
} as const

/** Models that refuse what those above take: a last message of the assistant's. */
const newer: Partial<Record<Upstream, string>> = {
  anthropic: 'claude-opus-4-8',
  gemini: 'gemini-3.7-flash',
}

const file = new URL('../../fixtures/reported-requests.jsonl', import.meta.url)
const lines = readFileSync(file, 'utf8').trim().split('\n')
const cases = lines.map((line) => JSON.parse(line) as Case)

test('every rejected case has a reason', () => {
  for (const { name, refused, reason } of cases)
    expect([name, reason !== undefined]).toEqual([name, refused.length > 0])
})

const targets = (Object.keys(upstreams) as Upstream[]).flatMap((type) =>
  [upstreams[type][1], newer[type] ?? []].flat().map((model) => ({ type, model })),
)

describe.each(targets)('reported requests to $model, $type', ({ type, model }) => {
  test.each(Object.keys(faces) as (keyof typeof faces)[])('in the format of %s', async (face) => {
    const [answering] = upstreams[type]
    await using pair = await inFrontOf(type, answering, model)
    const { own, path } = faces[face]
    for (const { name, refused, body } of cases.filter((one) => one.face === face)) {
      const asked = pair.upstream.seen.length
      const response = await pair.gateway.post(path(pair.model), {
        ...(face === 'generateContent' ? {} : { model: pair.model }),
        ...(face === 'messages' ? { max_tokens: 1000 } : {}),
        // Its own format would pass as it came.
        ...(face === 'chat' && own === type ? { top_k: 3 } : {}),
        ...body,
      })
      const told = await response.text()
      if (own === type && face !== 'chat') continue
      const isRefused = refused.includes(type)
      expect([name, response.status], told).toEqual([name, isRefused ? 400 : 200])
      if (isRefused) expect([name, pair.upstream.seen.length]).toEqual([name, asked])
    }
  })
})
