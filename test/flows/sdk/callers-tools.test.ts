// The AI SDK's tools of OpenAI and Anthropic that the application runs, with models of other makers.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, streamText } from 'ai'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../support/fakes/scripted-models.ts'
import { through } from '../../support/gateways/scripted-gateway.ts'
import { testKey } from '../../support/start.ts'

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Calls these tools in one step, and then says that it is done. */
const calling =
  (calls: readonly (readonly [string, object])[]): Script =>
  (rounds) =>
    rounds === 0
      ? { calls: calls.map(([name, input]) => [name, JSON.stringify(input)] as const) }
      : { text: 'Done.' }

const openaiCalls = [
  ['shell', { commands: ['ls'] }],
  ['local_shell', { command: ['ls', '-l'] }],
  ['apply_patch', { type: 'create_file', path: 'a', diff: '+"b"\n' }],
  ['computer', { actions: [{ type: 'move', x: 1, y: 2 }] }],
] as const

function openaiTools(noted: unknown[]) {
  const { tools } = createOpenAI({ apiKey: testKey })
  const note = <T>(output: T) => ({
    execute: async (input: unknown) => {
      noted.push(input)
      return output
    },
  })
  const exit = { type: 'exit' as const, exitCode: 0 }
  const screen = {
    type: 'computer_screenshot' as const,
    imageUrl: `data:image/png;base64,${picture}`,
  }
  return {
    shell: tools.shell({
      environment: { type: 'local' },
      ...note({ output: [{ stdout: 'a file', stderr: '', outcome: exit }] }),
    }),
    local_shell: tools.localShell(note({ output: 'another file' })),
    apply_patch: tools.applyPatch(note({ status: 'completed' as const, output: 'was created' })),
    computer: tools.computer(note({ output: screen })),
  }
}

const anthropicCalls = [
  ['bash', { command: 'ls' }],
  ['str_replace_based_edit_tool', { command: 'view', path: '/a' }],
  ['memory', { command: 'view', path: '/memories' }],
  ['computer', { action: 'screenshot' }],
] as const

function anthropicTools(noted: unknown[]) {
  const { tools } = createAnthropic({ apiKey: testKey })
  const execute = async (input: unknown) => {
    noted.push(input)
    return 'a file'
  }
  return {
    bash: tools.bash_20250124({ execute }),
    str_replace_based_edit_tool: tools.textEditor_20250728({ execute }),
    memory: tools.memory_20250818({ execute }),
    computer: tools.computer_20250124({ displayWidthPx: 800, displayHeightPx: 600, execute }),
  }
}

describe.each(['gemini', 'anthropic', 'openai'] as const)('in front of %s', (maker) => {
  test.each([false, true])('OpenAI’s tools complete a loop (streamed: %s)', async (stream) => {
    await using stage = await through(maker, calling(openaiCalls))
    const baseURL = `${stage.gateway.url}/v1`
    const noted: unknown[] = []
    const model = createOpenAI({ apiKey: testKey, baseURL }).responses(stage.model)
    expect(await textOf(stream, { model, tools: openaiTools(noted) })).toBe('Done.')
    expect(noted).toMatchObject([
      { action: { commands: ['ls'] } },
      { action: { type: 'exec', command: ['ls', '-l'] } },
      { operation: { type: 'create_file', path: 'a', diff: '+"b"\n' } },
      { actions: [{ type: 'move', x: 1, y: 2 }] },
    ])
    for (const told of ['a file', 'another file', 'was created', picture])
      expect(stage.upstream.seen.at(-1)!.text).toContain(told)
  })

  // Anthropic's own models get its tools unchanged.
  if (maker === 'anthropic') return
  test.each([false, true])('Anthropic’s tools complete a loop (streamed: %s)', async (stream) => {
    await using stage = await through(maker, calling(anthropicCalls))
    const baseURL = `${stage.gateway.url}/v1`
    const noted: unknown[] = []
    const model = createAnthropic({ apiKey: testKey, baseURL })(stage.model)
    expect(await textOf(stream, { model, tools: anthropicTools(noted) })).toBe('Done.')
    expect(noted).toEqual(anthropicCalls.map(([, input]) => input))
    expect(stage.upstream.seen.at(-1)!.text).toContain('a file')
  })
})

type Options = Pick<Parameters<typeof generateText>[0], 'model' | 'tools'>

async function textOf(stream: boolean, options: Options): Promise<string> {
  const all = { ...options, prompt: 'Tidy up.', maxRetries: 0, stopWhen: isStepCount(3) } as const
  if (!stream) return (await generateText(all)).text
  const errors: unknown[] = []
  const result = streamText({ ...all, onError: ({ error }) => void errors.push(error) })
  const text = await result.text
  expect(errors).toEqual([])
  return text
}
