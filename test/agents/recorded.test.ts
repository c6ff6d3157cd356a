// What command-line agents were recorded to send, to every upstream that refuses what its provider refuses.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, agents, agentsOfPage } from './agents.ts'
import defaultModels from './default-models.json' with { type: 'json' }
import { type Recorded, recordedFolder, recordedPlace } from './record.ts'
import { fileName } from './run-agent.ts'
import { lastWords, scriptOf } from './run-cell.ts'
import { openStage, type Stage } from './stage.ts'
import { targets } from './targets.ts'

const recorded = new Map(
  readdirSync(recordedFolder).map((name) => {
    const told = JSON.parse(readFileSync(join(recordedFolder, name), 'utf8')) as Recorded
    return [told.agent, told]
  }),
)

const file = `${recordedPlace}/${fileName}`

test('every agent has a recording', () => {
  expect([...recorded.keys()].toSorted()).toEqual(agents.map(({ name }) => name).toSorted())
  expect(Object.keys(defaultModels)).toEqual(agentsOfPage.map(({ name }) => name))
})

describe.each(targets)('$name', (target) => {
  let stage: Stage
  let script = scriptOf(agents[0]!, file)

  beforeAll(async () => {
    const models = [...new Set(agents.flatMap((agent) => agent.models))]
    stage = await openStage(target, { models, script: (...given) => script(...given) })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function ask(path: string, body: object, { headers }: Recorded): Promise<string> {
    const before = stage.refused.length
    const response = await stage.gateway.post(path, body, { headers })
    const text = await response.text()
    expect([response.status, text, stage.refused.slice(before)]).toEqual([200, text, []])
    return text
  }

  test.each(agents)('$name', async (agent: Agent) => {
    const told = recorded.get(agent.name)!
    const { path, first, last, asides } = told
    script = scriptOf(agent, file)
    const isScripted = target.upstream !== undefined
    const called = isScripted ? agent.steps(file)[0]![0]![0] : ''
    expect(await ask(path, first, told)).toContain(called)
    const whole = { ...first, ...('stream' in first && { stream: false }) }
    delete (whole as { stream_options?: unknown }).stream_options
    const wholePath = path.replace(':streamGenerateContent?alt=sse', ':generateContent')
    expect(await ask(wholePath, whole, told)).toContain(called)
    // Claude switches its thinking off where the history is that of a model that never thinks; the fake refuses it.
    if (agent.speaks !== 'anthropic' || target.speaks !== 'anthropic') {
      const ended = await ask(path, { ...first, ...last }, told)
      expect(isScripted ? saidIn(ended) : lastWords).toContain(lastWords)
    }
    for (const aside of asides) await ask(aside.path, aside.body, told)
  })
})

/** The texts of a stream, put together. */
function saidIn(stream: string): string {
  return [...stream.matchAll(/"(?:text|content|delta)":"((?:[^"\\]|\\.)*)"/g)]
    .map(([, text]) => JSON.parse(`"${text}"`) as string)
    .join('')
}
