// The events that the gateway writes have the fields that the providers' own events of the kind have: clients read usage in the
// first event of a stream and skip events without it.
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
} from '../../support/fakes/fake-upstream.ts'
import { cohereModel, converseModel, responsesModel } from '../../support/fakes/further-models.ts'
import { type Line, makers } from '../../support/fakes/scripted-models.ts'
import { recordedLines, recordingsFolder } from '../../support/formats/recordings.ts'
import {
  type Fields,
  namesOf,
  pathsIn,
  type StreamFacts,
  streamFacts,
} from '../../support/formats/stream-facts.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { type Started, start } from '../../support/start.ts'

type Face = keyof typeof streamFacts
type Model = (script: () => Line) => Answering

const lines: Readonly<Record<string, Line>> = {
  'a text': { text: 'It is noon in Bern, and it rains.' },
  'a call': { text: 'I will look.', calls: [['now', '{"city":"Bern"}']] },
  'a thought': { thinking: 'Let me see.', text: 'It is noon in Bern.' },
}

/** Upstreams by provider id, with the model asked there and the face that is passed on there without being written. */
const upstreams: Readonly<Record<string, { model: string; answers: Model; passes?: Face }>> = {
  openai: { model: 'gpt-5.1', answers: makers.openai.answering },
  anthropic: {
    model: 'claude-sonnet-4-5',
    answers: makers.anthropic.answering,
    passes: 'messages',
  },
  gemini: {
    model: 'gemini-3-pro-preview',
    answers: makers.gemini.answering,
    passes: 'streamGenerateContent',
  },
  'openai-responses': { model: 'gpt-5.1', answers: responsesModel, passes: 'responses' },
  bedrock: { model: 'anthropic.claude-sonnet-4-5', answers: converseModel },
  cohere: { model: 'command-a-03-2025', answers: cohereModel },
}

const question = 'What time is it in Bern?'
const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const tool = { name: 'now', description: 'Says the time in a city.' }

const requests: Readonly<Record<Face, (model: string) => readonly [path: string, body: Fields]>> = {
  chat: (model) => [
    '/v1/chat/completions',
    {
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: question }],
      tools: [{ type: 'function', function: { ...tool, parameters } }],
      // A request in the upstream's own format would be passed on unchanged.
      top_k: 3,
    },
  ],
  completions: (model) => [
    '/v1/completions',
    { model, stream: true, stream_options: { include_usage: true }, prompt: question },
  ],
  messages: (model) => [
    '/v1/messages',
    {
      model,
      stream: true,
      max_tokens: 4_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      messages: [{ role: 'user', content: question }],
      tools: [{ ...tool, input_schema: parameters }],
    },
  ],
  responses: (model) => [
    '/v1/responses',
    {
      model,
      stream: true,
      input: question,
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [{ type: 'function', ...tool, parameters, strict: false }],
    },
  ],
  streamGenerateContent: (model) => [
    `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    {
      contents: [{ role: 'user', parts: [{ text: question }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } },
      tools: [{ functionDeclarations: [{ ...tool, parameters }] }],
    },
  ],
}
const faces = Object.keys(requests) as readonly Face[]

let line: Line = {}
let gateway: Started
const opened: FakeUpstream[] = []

beforeAll(async () => {
  const providers: Record<string, object> = {}
  for (const [id, { answers }] of Object.entries(upstreams)) {
    const upstream = await fakeUpstream((...exchange) => answers(() => line)(...exchange))
    opened.push(upstream)
    const key = id === 'bedrock' ? 'AKIDEXAMPLE:secret' : 'k'
    const region = id === 'bedrock' ? { region: 'eu-central-1' } : {}
    providers[id] = { type: id, key, baseUrl: upstream.url, ...region }
  }
  gateway = await start({ providers: providers as never, defaults: { retries: { attempts: 1 } } })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  for (const upstream of opened) await upstream[Symbol.asyncDispose]()
})

async function eventsOf(face: Face, model: string): Promise<readonly Fields[]> {
  const [path, body] = requests[face](model)
  const response = await gateway.post(path, body)
  const wire = await response.text()
  expect(response.status, wire).toBe(200)
  return [...wire.matchAll(/^data: (\{.*\})\r?$/gm)].map(
    ([, json]) => JSON.parse(json ?? '') as Fields,
  )
}

/** The fields that each event of a stream lacks, by kind. */
function lackingIn(events: readonly Fields[], facts: StreamFacts): readonly string[] {
  return events.flatMap((event, place) => {
    const kind = facts.kindOf(event, place)
    const has = pathsIn(event, facts.open)
    return namesOf(facts.kinds[kind]?.always)
      .filter((path) => !has.has(path))
      .map((path) => `${kind}: ${path}`)
  })
}

type Objects = Readonly<Record<string, Fields>>

/** The input tokens that the first event tells; undefined for formats that tell them in the last event alone. */
function firstInput(face: Face, [first = {}]: readonly Fields[]): unknown {
  const { message, usageMetadata } = first as Objects
  if (face === 'messages') return (message?.['usage'] as Fields)['input_tokens']
  return face === 'streamGenerateContent' ? usageMetadata?.['promptTokenCount'] : undefined
}

/** Those that the end of the stream tells. */
function lastInput(face: Face, events: readonly Fields[]): unknown {
  const { usage, usageMetadata } = (events.findLast((event) => event['type'] !== 'message_stop') ??
    {}) as Objects
  if (face === 'messages') return usage?.['input_tokens']
  return face === 'streamGenerateContent' ? usageMetadata?.['promptTokenCount'] : undefined
}

const translated = Object.entries(upstreams).flatMap(([id, { model, passes }]) =>
  faces
    .filter((face) => face !== passes && face !== 'completions')
    .flatMap((face) =>
      Object.keys(lines).map((said) => [face, id, said, `${id}/${model}`] as const),
    ),
)

describe('written events have the fields of the real ones', () => {
  test.each(translated)('%s from %s: %s', async (face, _id, said, model) => {
    line = lines[said] ?? {}
    const events = await eventsOf(face, model)
    expect(events.length).toBeGreaterThan(2)
    const facts: StreamFacts = streamFacts[face]
    expect([...new Set(lackingIn(events, facts))]).toEqual([])
    const kinds = new Set(events.map((event, place) => facts.kindOf(event, place)))
    expect([...kinds].filter((kind) => !(kind in facts.kinds))).toEqual([])
    if (face === 'messages' || face === 'streamGenerateContent')
      expect(firstInput(face, events)).toBeGreaterThan(0)
  })

  test.each(faces)('%s from the built-in engine', async (face) => {
    const events = await eventsOf(face, 'builtin-chat')
    expect([...new Set(lackingIn(events, streamFacts[face]))]).toEqual([])
    const [first, last] = [firstInput(face, events), lastInput(face, events)]
    expect(first).toBe(last)
  })
})

const recorded = recordingsFolder
  ? readdirSync(recordingsFolder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.chunks.txt'))
      .toSorted()
  : []

describe('recorded events have the fields in the table, and no others', () => {
  test.for(faces)('%s', (face, context) => {
    if (recordingsFolder === undefined) leaveOut(context, 'there are no recorded answers')
    const facts: StreamFacts = streamFacts[face]
    const files = recorded.filter((path) => facts.recorded.test(path))
    expect(files).not.toEqual([])
    for (const path of files) {
      const events = recordedLines(path).map((text) => JSON.parse(text) as Fields)
      expect([path, [...new Set(lackingIn(events, facts))]]).toEqual([path, []])
      const unlisted = events.flatMap((event, place) => {
        const kind = facts.kindOf(event, place)
        const { always, sometimes } = facts.kinds[kind] ?? {}
        const known = new Set([...namesOf(always), ...namesOf(sometimes)])
        return [...pathsIn(event, facts.open)]
          .filter((field) => !known.has(field))
          .map((field) => `${kind}: ${field}`)
      })
      expect([path, [...new Set(unlisted)]]).toEqual([path, []])
    }
  })
})
