// An agent made with OpenAI's Agents SDK, as its guide makes one: `node sdk-agent.ts FORMAT PROMPT`.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installed } from './run-agent.ts'

/** As much of the package as is used here; it is not installed where types are checked. */
interface AgentsSdk {
  readonly Agent: new (options: object) => object
  readonly run: (agent: object, prompt: string, options: object) => Promise<Streamed>
  readonly tool: (options: object) => object
  readonly setOpenAIAPI: (api: string) => void
  readonly setTracingDisabled: (disabled: boolean) => void
}

interface Streamed extends AsyncIterable<unknown> {
  readonly completed: Promise<void>
  readonly finalOutput: string
}

const sdk = createRequire(join(installed, 'package.json'))('@openai/agents') as AgentsSdk
const [, , format, prompt = ''] = process.argv
sdk.setTracingDisabled(true)
sdk.setOpenAIAPI(format === 'openai' ? 'chat_completions' : 'responses')

const parametersOf = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
  additionalProperties: false,
})

const readFile = sdk.tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: parametersOf('path'),
  execute: ({ path }: { readonly path: string }) => readFileSync(path, 'utf8'),
})
const editFile = sdk.tool({
  name: 'edit_file',
  description: 'Replaces a text in a file.',
  parameters: parametersOf('path', 'old_text', 'new_text'),
  execute({
    path,
    old_text,
    new_text,
  }: Readonly<Record<'path' | 'old_text' | 'new_text', string>>) {
    writeFileSync(path, readFileSync(path, 'utf8').replace(old_text, new_text))
    return 'The file was changed.'
  },
})

const coder = new sdk.Agent({
  name: 'Coder',
  instructions: 'You change files with your tools.',
  model: 'coder',
  modelSettings: {
    parallelToolCalls: false,
    reasoning: { effort: 'low' },
    text: { verbosity: 'low' },
  },
  tools: [readFile, editFile],
})
const streamed = await sdk.run(coder, prompt, { stream: true })
for await (const event of streamed) void event
await streamed.completed
console.log(streamed.finalOutput)
