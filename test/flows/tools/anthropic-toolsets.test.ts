// Anthropic's toolsets, one entry of which stands for several tools that the caller runs.
import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../support/fakes/scripted-models.ts'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf, through } from '../../support/gateways/scripted-gateway.ts'
import { testKey } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const tools = [
  { type: 'computer_toolset_20260801' as const, configs: { zoom: { enabled: false } } },
  { type: 'browser_toolset_20260801' as const, configs: { javascript_exec: { enabled: true } } },
  {
    name: 'left_click',
    description: 'Of the caller.',
    input_schema: { type: 'object' as const, properties: {} },
  },
]
const target = { type: 'ref', ref: 'ref_7' }
const uses = [
  { toolset_name: 'computer', name: 'left_click', input: { coordinate: [1, 2] } },
  { toolset_name: 'browser', name: 'left_click', input: { target } },
  { toolset_name: 'browser', name: 'javascript_exec', input: { text: '1' } },
  { name: 'left_click', input: {} },
]
const script: Script = (rounds) =>
  rounds === 0
    ? {
        calls: uses.map(({ toolset_name: set, name, input }) => [
          set === undefined ? name : `${set}__${name}`,
          JSON.stringify(input),
        ]),
      }
    : { text: 'Done.' }

const state = {
  type: 'browser_state',
  tabs: [{ tab_id: 't1', title: 'A page', url: 'https://a.example', active: true }],
}

describe.each(['openai', 'gemini'] as const)('at %s', (maker) => {
  test.each([false, true])('members are called by both names (streamed: %s)', async (stream) => {
    await using pair = await through(maker, script)
    const client = new Anthropic({ apiKey: testKey, baseURL: pair.gateway.url, maxRetries: 0 })
    const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: 'user', content: 'Click.' }]
    const ask = async () => {
      const body = { model: pair.model, max_tokens: 1000, messages, tools }
      return stream
        ? await client.beta.messages.stream(body).finalMessage()
        : await client.beta.messages.create(body)
    }
    const { content } = await ask()
    expect(content).toMatchObject(uses.map((use) => ({ type: 'tool_use', ...use })))
    expect('toolset_name' in content[3]!).toBe(false)
    messages.push({ role: 'assistant', content: content as Anthropic.Beta.BetaContentBlockParam[] })
    const results = content.map((block) => {
      const { id, toolset_name: set } = block as unknown as Fields
      const told = [{ type: 'text', text: 'ok' }, ...(set === 'browser' ? [state] : [])]
      const named = set === undefined ? {} : { toolset_name: set }
      return { type: 'tool_result', tool_use_id: id, ...named, content: told }
    })
    messages.push({ role: 'user', content: results as Anthropic.Beta.BetaToolResultBlockParam[] })
    expect((await ask()).content).toMatchObject([{ type: 'text', text: 'Done.' }])
    const { text } = pair.upstream.seen.at(-1)!
    expect(text).toContain('"name":"computer__left_click"')
    expect(text).toContain('A page')
    expect(text).not.toContain('computer__zoom')
    expect(text).toContain('browser__zoom')
    // Off by default, unlike the one that is enabled.
    expect(text).not.toContain('browser__file_upload')
  })
})

test('at Anthropic, a chat caller’s calls keep both names', async () => {
  const block = { type: 'tool_use', id: 'toolu_1', ...uses[0] }
  await using pair = await inFrontOf('anthropic', (_, response) =>
    json(response, {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [block],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  )
  const messages: Fields[] = [{ role: 'user', content: 'Click.' }]
  const ask = () =>
    pair.gateway.post('/v1/chat/completions', {
      model: pair.model,
      messages,
      tools: tools.slice(0, 1),
    })
  const { choices } = (await (await ask()).json()) as { choices: { message: Fields }[] }
  const { message } = choices[0]!
  expect(message).toMatchObject({ tool_calls: [{ function: { name: 'computer__left_click' } }] })
  messages.push(message, { role: 'tool', tool_call_id: 'toolu_1', content: 'ok' })
  await ask()
  expect(pair.upstream.seen[1]!.body).toMatchObject({
    tools: tools.slice(0, 1),
    messages: [{}, { content: [block] }, {}],
  })
})
