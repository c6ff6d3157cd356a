// A gateway whose upstream is another gateway, as one of three providers: an agent loop over both equals the loop over
// the inner one alone, in what the agent receives and what the model is sent.
import { describe, expect, test } from 'vitest'
import { formatJson, parseJson } from '../../../packages/contract/src/wire/json.ts'
import {
  type Agent,
  type AgentOptions,
  chatAgent,
  contentsAgent,
  messagesAgent,
  responsesAgent,
} from '../../support/clients/agents.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Line, type Maker } from '../../support/fakes/scripted-models.ts'
import { type Through, through } from '../../support/gateways/scripted-gateway.ts'
import { ask, at } from '../../support/routes.ts'
import { start, testKey } from '../../support/start.ts'

const steps = 3

function script(step: number): Line {
  if (step === steps) return { thinking: 'That is all.', text: 'Everything is read. 完了' }
  return {
    thinking: `Step ${step}: what is in größe-${step}? 🧮`,
    ...(step % 2 === 0 && { text: `Reading ${step}.` }),
    calls: [
      ['read_file', `{"path":"größe-${step}","inode":${9007199254740993n + BigInt(step)}}`],
      ['list_files', '{}'],
    ],
  }
}

const agents = {
  chat: chatAgent,
  messages: messagesAgent,
  'responses, remembered by the agent': responsesAgent(false),
  'responses, remembered by the gateway': responsesAgent(true),
  generateContent: contentsAgent,
} as const satisfies Readonly<Record<string, (options: AgentOptions) => Agent>>

type Client = keyof typeof agents

const clients = Object.keys(agents) as Client[]
const makers: readonly Maker[] = ['anthropic', 'gemini', 'openai']
/** What the outer gateway takes the inner one for, and where the inner one speaks that. */
const outerTypes = { openai: '/v1', anthropic: '', gemini: '' } as const

type OuterType = keyof typeof outerTypes

interface Loop {
  readonly maker: Maker
  readonly client: Client
  readonly outerType: OuterType
  readonly stream: boolean
}

interface Course {
  readonly end: string
  readonly called: readonly string[]
  readonly heard: readonly unknown[]
  readonly told: readonly Told[]
}

async function overBoth(loop: Loop): Promise<Course> {
  const { maker, outerType } = loop
  await using inner = await through(maker, script)
  const baseUrl = inner.gateway.url + outerTypes[outerType]
  await using outer = await start({
    providers: { inner: { type: outerType, baseUrl, key: testKey } },
    defaults: { retries: { attempts: 1 } },
  })
  return await courseOf(loop, { ...inner, gateway: outer, model: `inner/${inner.model}` })
}

const alone = new Map<string, Promise<Course>>()

/** The same over the inner gateway alone, once for all that it is taken for. */
function overOne(loop: Loop): Promise<Course> {
  const name = `${loop.maker} ${loop.client} ${loop.stream}`
  const known = alone.get(name)
  if (known !== undefined) return known
  const course = (async () => {
    await using inner = await through(loop.maker, script)
    return await courseOf(loop, inner)
  })()
  alone.set(name, course)
  return course
}

type Stage = Pick<Through, 'gateway' | 'model' | 'upstream'>

async function courseOf({ maker, client, stream }: Loop, stage: Stage): Promise<Course> {
  const { gateway, model, upstream } = stage
  const called: string[] = []
  const heard: unknown[] = []
  const agent = agents[client]({
    gateway,
    model,
    stream,
    heard: (said) => heard.push(said),
    run(name, input) {
      called.push(`${name} ${input}`)
      return { text: 'ran', failed: false }
    },
  })
  const end = await agent('Read everything.')
  const asked = upstream.seen.filter(({ path }) => !path.endsWith('/responses'))
  expect(asked).toHaveLength(steps + 1)
  return { end, called, heard, told: toldAgain[maker](parseJson(asked.at(-1)!.text) as Fields) }
}

type Fields = Readonly<Record<string, unknown>>

interface Told {
  readonly text: string
  readonly calls: readonly string[]
  readonly reasoning: readonly string[]
}

const turns = (value: unknown, role: string) =>
  (value as readonly Fields[]).filter((turn) => turn['role'] === role)
const listOf = (value: unknown) => (value ?? []) as readonly Fields[]

/** What a maker's model said and is told again, turn by turn, in its own words. Google's calls have no ids of their own. */
const toldAgain: Readonly<Record<Maker, (body: Fields) => readonly Told[]>> = {
  anthropic: ({ messages }) =>
    turns(messages, 'assistant').map(({ content }) => ({
      text: listOf(content)
        .map(({ text }) => text ?? '')
        .join(''),
      calls: listOf(content)
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => formatJson([id, name, input])),
      reasoning: listOf(content)
        .filter(({ type }) => type === 'thinking')
        .map(({ thinking, signature }) => formatJson([thinking, signature])),
    })),
  gemini: ({ contents }) =>
    turns(contents, 'model').map(({ parts }) => ({
      text: listOf(parts)
        .map(({ text, thought }) => (thought === true ? '' : (text ?? '')))
        .join(''),
      calls: listOf(parts).flatMap(({ functionCall }) => {
        if (functionCall === undefined) return []
        const { name, args } = functionCall as Fields
        return [formatJson([name, args])]
      }),
      reasoning: listOf(parts).flatMap(({ thoughtSignature }) =>
        thoughtSignature === undefined ? [] : [formatJson(thoughtSignature)],
      ),
    })),
  openai: ({ messages }) =>
    turns(messages, 'assistant').map(({ content, tool_calls: calls }) => ({
      text: textOf(content),
      calls: listOf(calls).map(({ id, function: called }) => {
        const { name, arguments: text } = called as Fields
        return formatJson([id, name, text])
      }),
      reasoning: [],
    })),
}

const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map(({ text }: { text: string }) => text).join('')
    : ((content ?? '') as string)

const loops = makers.flatMap((maker) =>
  (['openai', 'anthropic', 'gemini'] as const).flatMap((outerType) =>
    clients.flatMap((client) =>
      [true, false].map((stream): Loop => ({ maker, outerType, client, stream })),
    ),
  ),
)

/** What a caller of chat hears, in whichever way the reasoning travels. */
function plain(said: unknown): object {
  const { content, reasoning_content, tool_calls } = said as Fields
  return { content, reasoning_content, calls: listOf(tool_calls).map((call) => call['function']) }
}

/** An answer without the ids that a gateway makes up. */
const withoutIds = (said: unknown) =>
  parseJson(formatJson(said).replace(/(call|rs|fc|msg)_[0-9a-f]{32}/g, '$1'))

describe.each(makers)('two gateways in front of %s', (maker) => {
  test.each(loops.filter((loop) => loop.maker === maker))(
    'agree with one gateway: as $outerType, $client, streamed: $stream',
    async (loop) => {
      const one = await overOne(loop)
      const both = await overBoth(loop)
      expect(both.end).toBe('Everything is read. 完了')
      expect(both.called).toEqual(one.called)
      expect(both.heard).toHaveLength(steps + 1)
      if (loop.client === 'chat') expect(plain(both.heard[0])).toEqual(plain(one.heard[0]))
      // The one protocol with a place for every maker's reasoning in its answers. Where the gateway made the ids of the
      // calls, they stand inside what it carries, and no two answers are the same.
      if (loop.outerType === 'openai' && (maker !== 'gemini' || loop.client === 'chat'))
        expect(withoutIds(both.heard[0])).toEqual(withoutIds(one.heard[0]))
      expect(both.told).toEqual(one.told)
    },
  )
})

test('sends reasoning only to an upstream whose last answer came from a gateway', async () => {
  let headers: Record<string, string> = {}
  await using up = await fakeUpstream((_seen, response) =>
    json(response, chatReply('Hello'), { headers }),
  )
  await using gateway = await start(at({ up }))
  const block = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' }
  const thought = { role: 'assistant', content: 'Hi', thinking_blocks: [block] }
  const messages = [...ask.messages, thought, ...ask.messages]
  const given: unknown[] = []
  for (const answeredBy of [{ 'x-sluice-attempts': '1' }, {}, {}]) {
    headers = answeredBy
    await gateway.post('/v1/chat/completions', { model: 'up/gpt-5.1', messages })
    given.push((up.seen.at(-1)?.body['messages'] as Fields[])[1]?.['thinking_blocks'])
  }
  expect(given).toEqual([undefined, [block], undefined])
})
