// An agent loop continues while its upstreams fail: another provider answers each step, and each receives a history
// that it accepts, with its own reasoning and without that of the others.
import { expect, test } from 'vitest'
import {
  type Agent,
  type AgentOptions,
  chatAgent,
  contentsAgent,
  messagesAgent,
  responsesAgent,
} from '../../support/clients/agents.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { type Line, type Maker, makers } from '../../support/fakes/scripted-models.ts'
import { start } from '../../support/start.ts'

const steps = 13

function script(step: number): Line {
  if (step === steps) return { text: 'Everything is read.' }
  return {
    thinking: `Step ${step}.`,
    calls: [
      ['read_file', `{"path":"größe-${step}","inode":${9007199254740993n + BigInt(step)}}`],
      ['list_files', '{}'],
    ],
  }
}

/** Upstreams of these makers, of which one is up at each step. */
async function takingTurns(list: readonly Maker[]) {
  let step = 0
  const answeredBy: Maker[] = []
  const up = (maker: Maker): Answering => {
    const answer = makers[maker].answering(script)
    return (seen, response, request) => {
      if (maker === 'openai' && seen.path.endsWith('/responses'))
        return json(response, {}, { status: 404 })
      if (list[step % list.length] !== maker)
        return json(response, { error: { message: 'down' } }, { status: 503 })
      step += 1
      answeredBy.push(maker)
      return answer(seen, response, request)
    }
  }
  const upstreams = await Promise.all(
    list.map(async (maker) => ({ maker, upstream: await fakeUpstream(up(maker)) })),
  )
  const [first, ...fallback] = list.map((maker) => `${maker}-up/${makers[maker].model}`)
  const gateway = await start({
    providers: Object.fromEntries(
      upstreams.map(({ maker, upstream }) => [
        `${maker}-up`,
        { type: maker, baseUrl: upstream.url, key: 'k' },
      ]),
    ),
    models: { team: { targets: [{ target: first! }], fallback } },
    defaults: { retries: { attempts: 1 }, breaker: { failures: 1_000 } },
  })
  return {
    gateway,
    answeredBy,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      for (const { upstream } of upstreams) await upstream[Symbol.asyncDispose]()
    },
  }
}

const all: readonly Maker[] = ['anthropic', 'gemini', 'openai']

const agents: readonly [string, (options: AgentOptions) => Agent, readonly Maker[]][] = [
  ['chat', chatAgent, all],
  ['responses, remembered by the agent', responsesAgent(false), all],
  ['responses, remembered by the gateway', responsesAgent(true), all],
  ['generateContent', contentsAgent, all],
  ['messages', messagesAgent, all],
]

test.each(agents)(
  'an agent loop completes while makers take turns, over %s',
  async (_, createAgent, list) => {
    await using stage = await takingTurns(list)
    const called: string[] = []
    const agent = createAgent({
      gateway: stage.gateway,
      model: 'team',
      run(name, input) {
        called.push(input)
        return { text: `${name} ran`, failed: false }
      },
    })
    expect(await agent('Read everything.')).toBe('Everything is read.')
    expect(called).toEqual(
      Array.from({ length: steps }, (__, step) =>
        script(step).calls!.map(([, input]) => input),
      ).flat(),
    )
    expect(stage.answeredBy).toEqual(
      Array.from({ length: steps + 1 }, (__, step) => list[step % list.length]),
    )
  },
)
