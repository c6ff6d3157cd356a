// Every recorded answer of a real provider, sent again by a fake one, has the right content for callers of every
// format. The expected content is read by independent code; a new recording in the folder is tested without further
// changes.
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, chatOnly, faces, told } from '../../support/clients/client-formats.ts'
import { converseFrames } from '../../support/fakes/aws-frames.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  sse,
} from '../../support/fakes/fake-upstream.ts'
import {
  type Recorded,
  streamRecorded,
  wholeRecorded,
} from '../../support/formats/recorded-answers.ts'
import { recordedLines, recording, recordingsFolder } from '../../support/formats/recordings.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const ends: Readonly<Record<Recorded['finish'], RegExp>> = {
  stop: /^(stop|end_turn|completed|STOP)$/,
  calls: /^(tool_calls|tool_use|completed|STOP)$/,
  length: /^(length|max_tokens|max_output_tokens|MAX_TOKENS)$/,
  filter: /^(content_filter|refusal|SAFETY|PROHIBITED_CONTENT)$/,
}

let upstream: FakeUpstream
let gateway: Started

const files =
  recordingsFolder === undefined
    ? []
    : readdirSync(recordingsFolder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\/.*\.(json|chunks\.txt)$/.test(path))
        .toSorted()

beforeAll(async () => {
  upstream = await fakeUpstream(() => {})
  const { url: baseUrl } = upstream
  const folders = [...new Set(files.map(folderOf))]
  const providers = Object.fromEntries(folders.map((id) => [id, { key: 'k', baseUrl }]))
  gateway = await start({
    providers: {
      ...providers,
      openai: { type: 'openai', key: 'k', baseUrl },
      'openai-responses': { type: 'openai-responses', key: 'k', baseUrl },
      'amazon-bedrock': { key: 'AKIDEXAMPLE:secret', region: 'eu-central-1', baseUrl },
    },
    defaults: { retries: { attempts: 1 } },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

function folderOf(path: string): string {
  return path.split('/')[0] ?? ''
}

/** Responses have an upstream of their own here; what asks OpenAI for a chat shall not go there. */
function modelOf(path: string, isResponse: boolean): string {
  const folder = folderOf(path)
  return `${isResponse ? 'openai-responses' : folder}/${folder === 'google' ? 'gemini-2.5-flash' : 'm'}`
}

/** Two lines of one recording lack their last brace. */
function eventOf(line: string): Fields {
  try {
    return JSON.parse(line) as Fields
  } catch {
    return JSON.parse(`${line}}`) as Fields
  }
}

/** A recording may hold several streams, one after the other. */
function turnsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const turns: string[][] = []
  for (const line of lines)
    if (turns.length === 0 || eventOf(line)['type'] === 'response.created') turns.push([line])
    else turns.at(-1)?.push(line)
  return turns
}

async function expectTold(model: string, stream: boolean, { text, calls, finish }: Recorded) {
  for (const face of faces) {
    if (face === 'responses' && model.startsWith('openai-responses/')) continue
    // Not every model takes tools.
    const further = calls.length === 0 ? { tools: undefined } : {}
    const { status, wire } = await ask({ gateway, model }, face, { stream, further })
    expect([face, status], wire).toEqual([face, 200])
    const answer = told(face, wire, stream)
    // Why an answer was refused is a text to some.
    if (finish !== 'filter') expect([face, answer.text]).toEqual([face, text])
    expect(answer.finish, face).toMatch(ends[finish])
    // A free-form call is told otherwise where it is known (calls-among-texts.test.ts).
    if (calls.some(({ input }) => typeof input === 'string')) continue
    const made = answer.calls.map(({ name, input }) => ({ name, input: JSON.parse(input) }))
    expect([face, made]).toEqual([face, calls])
  }
}

function replaying(path: string, lines: readonly string[]): Answering {
  const events = lines.map(eventOf)
  return (_seen, response) => {
    if (folderOf(path) === 'amazon-bedrock') {
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
      response.end(converseFrames(events.map((event) => JSON.stringify(event))))
      return
    }
    const isNamed = events[0]?.['type'] !== undefined
    const told = lines.map((line, index) =>
      isNamed
        ? `event: ${String(events[index]?.['type'])}\ndata: ${line}\n\n`
        : `data: ${line}\n\n`,
    )
    return sse(response, 'choices' in (events[0] ?? {}) ? [...told, 'data: [DONE]\n\n'] : told)
  }
}

async function expectError(model: string, error: Fields): Promise<void> {
  const status = typeof error['code'] === 'number' ? error['code'] : 400
  upstream.answer((_seen, response) => json(response, { error }, { status }))
  for (const face of faces) {
    // A limited key is not asked again for the same model.
    const answer = await ask({ gateway, model: `${model}-${face}` }, face, { stream: false })
    expect([face, answer.status]).toEqual([face, status])
    expect(answer.wire).toContain(JSON.stringify(error['message']).slice(1, 40))
  }
}

/** Whether something that was recorded is a chat's. */
const others: string[] = []

describe('recorded provider answers', () => {
  test('are available', (context) => {
    if (recordingsFolder === undefined) leaveOut(context, 'there are no recorded answers')
    expect(files.length).toBeGreaterThan(50)
  })

  test.each(files.filter((path) => path.endsWith('.json')))('%s', async (path) => {
    const body = JSON.parse(recording(path)) as Fields
    const { error } = body
    if (typeof error === 'object' && error !== null && !('status' in body))
      return expectError(modelOf(path, false), error as Fields)
    const recorded = wholeRecorded(body)
    if (recorded === undefined) {
      others.push(path)
      return
    }
    const isResponse = body['object'] === 'response'
    const answering: Answering = (_seen, response) => json(response, body)
    upstream.answer(isResponse ? answering : chatOnly(answering))
    await expectTold(modelOf(path, isResponse), false, recorded)
  })

  test.each(files.filter((path) => path.endsWith('.txt')))('%s', async (path) => {
    for (const lines of turnsOf(recordedLines(path))) {
      const turn = lines.map(eventOf)
      const isResponse = turn[0]?.['type'] === 'response.created'
      const model = modelOf(path, isResponse)
      upstream.answer(isResponse ? replaying(path, lines) : chatOnly(replaying(path, lines)))
      if (turn.some(({ type }) => type === 'error')) {
        for (const face of faces) {
          const { status, wire } = await ask({ gateway, model }, face, { stream: true })
          expect([face, status], wire).toEqual([face, 429])
        }
        continue
      }
      const recorded = streamRecorded(turn)
      if (recorded === undefined) others.push(path)
      else await expectTold(model, true, recorded)
    }
  })

  test('cover no unknown operations', () => {
    expect(
      others.filter((path) => !/embedding|rerank|transcription|image|completion/.test(path)),
    ).toEqual([])
  })
})
