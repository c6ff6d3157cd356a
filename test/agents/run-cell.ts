import type { Script } from '../support/fakes/scripted-models.ts'
import { testKey } from '../support/start.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { Agent } from './agents.ts'
import { after, fileName, type Ran, runAgent } from './run-agent.ts'
import { openStage } from './stage.ts'
import { openTap, type Tapped } from './tap.ts'
import type { Target } from './targets.ts'

/** What came of one agent in front of one model. */
export interface Result {
  readonly agent: Agent
  readonly target: Target
  /** Why it did not finish; empty for one that did. */
  readonly wrong: readonly string[]
  readonly seconds: number
  readonly requests: readonly Tapped[]
  readonly ran: Ran
  /** Where it ran; gone since. */
  readonly folder: string
}

export const lastWords = 'The colour is changed.'

/** Runs one agent in front of one model that reads the file and changes it with the agent's tools. */
export async function runCell(agent: Agent, target: Target): Promise<Result> {
  using folder = temporaryFolder()
  const script = scriptOf(agent, `${folder.path}/work/${fileName}`)
  await using stage = await openStage(target, { models: agent.models, script })
  await using tap = await openTap(stage.gateway.url)
  const started = performance.now()
  const ran = await runAgent(agent, { url: tap.url, key: testKey, folder: folder.path })
  const { exitCode, written, stdout } = ran
  const isSaid = target.upstream === undefined ? stdout.trim() !== '' : stdout.includes(lastWords)
  return {
    agent,
    target,
    ran,
    folder: folder.path,
    requests: tap.seen,
    seconds: (performance.now() - started) / 1_000,
    wrong: [
      ...(exitCode === 0 ? [] : [`it ended with ${exitCode ?? 'the time'}`]),
      ...(written === after ? [] : ['the file is not changed']),
      ...(isSaid ? [] : ['the last words were not shown']),
      ...stage.refused.map((said) => `the upstream refused: ${said}`),
      ...tap.seen
        .filter(isFault)
        .map(
          ({ method, path, status, error }) => `${method} ${path} was answered ${status}: ${error}`,
        ),
    ],
  }
}

/** What a model calls step by step; one that is asked something else, such as for a title, answers in words. */
export function scriptOf(agent: Agent, file: string): Script {
  const steps = agent.steps(file)
  return (rounds, offered) => {
    const calls = steps[rounds]
    return calls?.every(([name]) => offered.includes(name))
      ? { thinking: 'Hm.', text: 'Let me see.', calls }
      : { text: lastWords }
  }
}

/** A WebSocket is refused so that the agent goes on over HTTP. */
function isFault({ status }: Tapped): boolean {
  return status >= 400 && status !== 426
}
