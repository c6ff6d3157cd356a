// Long agent loops of tools with thinking, over every client format, with the models of every provider. The fake
// models reject what the real ones reject, so a loop that ends has broken no rule.
import { describe, expect, test } from 'vitest'
import {
  type Agent,
  type AgentOptions,
  chatAgent,
  contentsAgent,
  messagesAgent,
  type RunTool,
  responsesAgent,
} from '../../support/clients/agents.ts'
import { signatureBypass } from '../../support/fakes/gemini-rules.ts'
import type { Line, Maker } from '../../support/fakes/scripted-models.ts'
import { through } from '../../support/gateways/scripted-gateway.ts'

const steps = 13

type Calls = NonNullable<Line['calls']>

/** Parallel calls: one without arguments, two of one tool, integers that no double holds, characters of all lengths. */
function callsOf(step: number): Calls {
  const read = (path: string) =>
    `{"path":"${path}","inode":${9007199254740993n + BigInt(step)},"at":[1,-2.5e-7],"note":"a\\nb\\u0000 🗼","deep":{"none":null,"empty":{}}}`
  return [
    ['read_file', read(`src/größe-${step} \\"x\\".ts`)],
    ['list_files', '{}'],
    ...(step % 4 === 0 ? [['read_file', read(`東京/${step}.md`)] as const] : []),
  ]
}

/** Steps with words before the calls and steps without. */
function script(step: number): Line {
  if (step === steps) return { thinking: 'That is all.', text: 'Everything is read. 完了' }
  return {
    thinking: `Step ${step}: what is in größe-${step}? 🧮`,
    ...(step % 3 !== 1 && { text: `Reading ${step}.` }),
    calls: callsOf(step),
  }
}

const agents: Readonly<Record<string, (options: AgentOptions) => Agent>> = {
  chat: chatAgent,
  messages: messagesAgent,
  'responses, remembered by the agent': responsesAgent(false),
  'responses, remembered by the gateway': responsesAgent(true),
  generateContent: contentsAgent,
}

/** Some tools fail, some say nothing. */
function toolbox(): { readonly run: RunTool; readonly called: readonly (readonly string[])[] } {
  const called: string[][] = []
  return {
    called,
    run(name, input) {
      called.push([name, input])
      if (called.length % 5 === 0) return { text: 'ENOENT: größe', failed: true }
      return { text: called.length % 7 === 0 ? '' : `Result ${called.length} 🗼`, failed: false }
    },
  }
}

const makers: readonly Maker[] = ['anthropic', 'gemini', 'openai']

describe.each(makers)('agent loops in front of %s', (maker) => {
  test.each(Object.entries(agents))(
    'complete many rounds of tool calls over %s',
    async (_, createAgent) => {
      await using stage = await through(maker, script)
      const { gateway, model, upstream } = stage
      const { run, called } = toolbox()
      const agent = createAgent({ gateway, model, run })
      expect(await agent('Read everything.')).toBe('Everything is read. 完了')
      expect(called).toEqual(Array.from({ length: steps }, (__, step) => callsOf(step)).flat())
      expect(await agent('Are you sure?')).toBe('Everything is read. 完了')
      const answered = upstream.seen.filter(({ path }) => !path.endsWith('/responses'))
      expect(answered).toHaveLength(steps + 2)
      const last = answered.at(-1)!
      for (const [, input] of called)
        expect(last.text).toContain(/"inode":(\d+)/.exec(input!)?.[1] ?? '{}')
      expect(last.text).not.toContain(signatureBypass)
      if (maker === 'anthropic') expect(last.body['thinking']).toMatchObject({ type: 'enabled' })
    },
  )
})
