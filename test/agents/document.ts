import { type Agent, agents, agentsOfPage } from './agents.ts'
import { bareTarget, type Target, targets } from './targets.ts'
import versions from './versions.json' with { type: 'json' }

/** Why an agent did not finish, by the name of its cell; nothing for one that did. */
export type Verdicts = ReadonlyMap<string, readonly string[]>

/** An agent of one version in front of one model. */
export const cellName = (agent: Agent, target: Target): string =>
  `${agent.name} ${versions[agent.package]}, ${target.name}`

/** docs/agents.md, from what came of every agent when it was last run. */
export function formatDocument(verdicts: Verdicts): string {
  const finished = [...verdicts.values()].filter((wrong) => wrong.length === 0).length
  return `${[
    '# Command-line agents',
    introduction,
    `${finished} of ${verdicts.size} runs finished.`,
    table(
      ['agent (format)', ...[...targets, bareTarget].map(({ name }) => name)],
      agents.map((agent) => [
        `${agent.name} ${versions[agent.package]}`,
        ...targets.map((target) => verdictOf(agent, target, verdicts)),
        agentsOfPage.some(({ name }) => name === agent.name)
          ? verdictOf(agent, bareTarget, verdicts)
          : '',
      ]),
    ),
    ...failures(verdicts),
  ].join('\n\n')}\n`
}

function verdictOf(agent: Agent, target: Target, verdicts: Verdicts): string {
  const wrong = verdicts.get(cellName(agent, target))
  if (wrong === undefined) return 'not run'
  if (wrong.length > 0) return '**no**'
  return isNative(agent.speaks, target.speaks) ? 'its own' : 'yes'
}

const isNative = (agent: string, target: string): boolean => agent === target

const introduction = `Each agent is installed from the npm registry at the version below and runs as its users run it, with only the loopback network,
in a folder with one file and the prompt "Change 'red' to 'blue' in colours.txt." It sends its requests to the gateway. The
gateway uses the built-in engine, or a fake upstream of another protocol that refuses what its provider refuses and calls the
agent's own tools.

- \`yes\`: the file was changed, the agent showed the model's final text and exited with 0, and neither the gateway nor the
  upstream refused a request.
- \`its own\`: the same where the agent uses the upstream's format; its bytes pass but for what the model refuses.
- \`no settings\`: the gateway has neither settings nor keys of providers. The agent has the settings of
  [coding agents](/coding-agents) and asks for the models that it asks for by default.

\`npm run agents -- --write\` writes this file; \`npm run agents -- --only codex\` runs the cells whose names contain that text.
\`npm test\` does not install the agents: it sends their recorded requests (\`test/agents/recorded/\`) to every upstream.`

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}

function failures(verdicts: Verdicts): readonly string[] {
  const lines = [...verdicts].flatMap(([name, [first]]) =>
    first === undefined ? [] : [`- ${name}: ${first.replaceAll('\n', ' ').slice(0, 300)}`],
  )
  return lines.length === 0 ? [] : ['## Not finished', lines.join('\n')]
}
