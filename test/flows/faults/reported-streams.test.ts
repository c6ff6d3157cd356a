// Stream shapes that were observed at upstreams, read by callers of every other format. The cases are data: what the
// upstream sends, and the text, calls and finish reason that a caller must receive.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ask, chatOnly, faces, told } from '../../support/clients/client-formats.ts'
import { sse } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

type Upstream = Parameters<typeof inFrontOf>[0]
type Event = Readonly<Record<string, unknown>>

interface Case {
  readonly name: string
  readonly type: Upstream
  readonly events: readonly Event[]
  readonly text: string
  readonly calls: readonly (readonly [name: string, input: unknown])[]
  readonly finish: keyof typeof ends
}

/** How the formats tell each kind of end. */
const ends = {
  stop: /^(stop|end_turn|completed|STOP)$/,
  calls: /^(tool_calls|tool_use|completed|STOP)$/,
  length: /^(length|max_tokens|max_output_tokens|MAX_TOKENS)$/,
  filter: /^(content_filter|refusal|SAFETY|PROHIBITED_CONTENT)$/,
} as const

const file = new URL('../../fixtures/reported-streams.jsonl', import.meta.url)
const lines = readFileSync(file, 'utf8').trim().split('\n')
const cases = lines.map((line) => JSON.parse(line) as Case)
const ownFace: Partial<Record<Upstream, string>> = {
  anthropic: 'messages',
  gemini: 'generateContent',
  'openai-responses': 'responses',
}

function wireOf(type: Upstream, event: Event): string {
  const data = `data: ${JSON.stringify(event)}\n\n`
  return type === 'openai' || type === 'gemini' ? data : `event: ${String(event['type'])}\n${data}`
}

const types = [...new Set(cases.map(({ type }) => type))]

describe.each(types)('translates reported stream shapes of %s', (type) => {
  const own = cases.filter((one) => one.type === type)
  const read = faces.filter((face) => face !== ownFace[type])

  test.each(own.map((one) => [one.name, one] as const))(
    '%s',
    async (_name, { events, text, calls, finish }) => {
      const wire = events.map((event) => wireOf(type, event))
      if (type === 'openai') wire.push('data: [DONE]\n\n')
      await using pair = await inFrontOf(
        type,
        type === 'openai'
          ? chatOnly((_seen, response) => sse(response, wire))
          : (_seen, response) => sse(response, wire),
      )
      for (const face of read) {
        const answer = told(face, (await ask(pair, face, { stream: true })).wire, true)
        expect([face, answer.text]).toEqual([face, text])
        const called = answer.calls.map(({ name, input }) => [name, JSON.parse(input)])
        expect([face, ...called]).toEqual([face, ...calls])
        expect(answer.finish, face).toMatch(ends[finish])
      }
    },
  )
})
