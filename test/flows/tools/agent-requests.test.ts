// Default requests of coding agents, as recorded, to models of other providers that reject what those providers
// reject.
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../packages/contract/src/wire/json.ts'
import type { Maker, Script } from '../../support/fakes/scripted-models.ts'
import { through } from '../../support/gateways/scripted-gateway.ts'

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const user = 'Read a.txt and change one word.'
const lark = { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' }

interface AgentRequest {
  readonly address: (model: string) => string
  readonly body: Readonly<Record<string, unknown>>
  readonly headers?: Record<string, string>
}

const responses = { address: () => '/v1/responses' }
const messages = { address: () => '/v1/messages?beta=true' }
const content = {
  address: (model: string) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
}

const codex: AgentRequest = {
  ...responses,
  body: {
    stream: true,
    input: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'developer',
        content: [{ type: 'input_text', text: 'You are a coding agent.' }],
      },
      { type: 'message', id: 'msg_2', role: 'user', content: [{ type: 'input_text', text: user }] },
    ],
    tools: [
      {
        type: 'function',
        name: 'exec_command',
        description: 'Runs a command.',
        strict: false,
        parameters: path,
      },
      {
        type: 'namespace',
        name: 'multi_agent_v1',
        description: 'Tools for sub-agents.',
        tools: [
          {
            type: 'function',
            name: 'spawn_agent',
            description: 'Spawns.',
            strict: false,
            parameters: path,
          },
        ],
      },
      { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: lark },
      { type: 'web_search', external_web_access: false },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'medium', summary: 'auto' },
    text: { verbosity: 'low' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '01a20273-8590-7092-a5bc-ef1b874dfda4',
    client_metadata: { session_id: '01a20273-8590-7092-a5bc-ef1b874dfda4' },
  },
}

const cache_control = { type: 'ephemeral' }

const claudeCode: AgentRequest = {
  ...messages,
  headers: {
    'anthropic-beta':
      'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27',
  },
  body: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nBe careful.\n</system-reminder>' },
          { type: 'text', text: user },
        ],
      },
      { role: 'system', content: [{ type: 'text', text: '# Environment', cache_control }] },
    ],
    system: [{ type: 'text', text: 'You are an agent.', cache_control }],
    tools: [
      { name: 'Read', description: 'Reads a file.', input_schema: path },
      {
        name: 'DeferredToolPlaceholder',
        description: 'Never call it.',
        input_schema: { type: 'object', properties: {} },
        defer_loading: true,
      },
      {
        name: `mcp__${'internal-tracker__'.repeat(4)}list`,
        description: 'Lists.',
        input_schema: path,
      },
    ],
    metadata: {
      user_id: `{"device_id":"${'f2b223476c22'.repeat(5)}","account_uuid":"","session_id":"3791454f-533b-449f"}`,
    },
    max_tokens: 64_000,
    thinking: { type: 'adaptive', display: 'omitted' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'high' },
    stream: true,
  },
}

const qwenCode: AgentRequest = {
  ...messages,
  headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
  body: {
    system: [{ type: 'text', text: 'You are Qwen Code.', cache_control }],
    messages: [{ role: 'user', content: [{ type: 'text', text: user, cache_control }] }],
    tools: [{ name: 'read_file', description: 'Reads a file.', input_schema: path }],
    max_tokens: 8_000,
    temperature: 1,
    thinking: { type: 'enabled', budget_tokens: 32_000 },
    stream: true,
  },
}

const geminiCli: AgentRequest = {
  ...content,
  body: {
    contents: [{ role: 'user', parts: [{ text: '<session_context>' }, { text: user }] }],
    systemInstruction: { role: 'user', parts: [{ text: 'You are a CLI agent.' }] },
    tools: [
      {
        functionDeclarations: [
          { name: 'read_file', description: 'Reads a file.', parametersJsonSchema: path },
        ],
      },
    ],
    generationConfig: {
      temperature: 1,
      topP: 0.95,
      topK: 64,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 },
    },
  },
}

const agentsSdk: AgentRequest = {
  address: () => '/v1/chat/completions',
  body: {
    messages: [
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Hi', refusal: null, image_url: null, file: null }],
        tool_calls: null,
      },
      { role: 'user', content: user },
    ],
    tools: [
      {
        type: 'function',
        function: {
          name: 'read',
          description: 'Reads.',
          parameters: { ...path, additionalProperties: false },
          strict: true,
        },
      },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    verbosity: 'low',
    reasoning_effort: 'low',
    temperature: 0.5,
    store: false,
    stream: true,
    stream_options: { include_usage: true },
  },
}

const agents = { codex, claudeCode, qwenCode, geminiCli, agentsSdk }

const targets: readonly (readonly [Maker, string])[] = [
  ['openai', 'gpt-4.1'],
  ['openai', 'gpt-5'],
  ['openai', 'o4-mini'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['gemini', 'gemini-3-pro-preview'],
]

/** Where the agent's own format is spoken the bytes pass, and the fake is not asked what it thinks of them. */
const native = new Set([
  'claudeCode anthropic',
  'qwenCode anthropic',
  'geminiCli gemini',
  'agentsSdk openai',
])

const cases = Object.entries(agents).flatMap(([name, agent]) =>
  targets.flatMap(([maker, model]) =>
    native.has(`${name} ${maker}`) ? [] : [{ name, agent, maker, model }],
  ),
)

const script: Script = (rounds, offered) =>
  rounds > 0
    ? { text: 'Done' }
    : { text: 'Reading.', calls: [[offered[0] ?? '', '{"path":"a.txt"}']] }

describe.each(cases)('$name → $model', ({ agent, maker, model }) => {
  test('answers the recorded request and reports the fields it dropped', async () => {
    await using stage = await through(maker, script, model)
    const named = encodeURIComponent(stage.model)
    const body = { ...agent.body, model: stage.model }
    const response = await stage.gateway.post(agent.address(named), body, {
      ...(agent.headers && { headers: agent.headers }),
    })
    const text = await response.text()
    expect([response.status, text]).toEqual([
      200,
      expect.stringMatching(/tool_use|functionCall|function_call|tool_calls/),
    ])
    const sent = stage.upstream.seen.at(-1)!.text
    const dropped = (response.headers.get('x-sluice-dropped') ?? '').split(', ')
    // What stands in the caller's request and not in the upstream's was said, whichever it is.
    for (const [field, shown] of [
      ['verbosity', /verbosity/],
      ['topK', /topK|top_k/],
      ['client_metadata', /client_metadata/],
    ] as const)
      if (JSON.stringify(agent.body).includes(`"${field}"`) && !shown.test(sent))
        expect(
          dropped.some((name) => name.endsWith(field)),
          `${field} of ${dropped.join()}`,
        ).toBe(true)
  })
})

test('returns a call of a namespaced tool under both names and accepts it in the history', async () => {
  const calls: Script = (rounds, offered) => {
    if (rounds > 0) return { text: 'Done' }
    const spawn = offered.find((name) => name.endsWith('spawn_agent'))
    return { calls: [[spawn ?? '', '{"path":"a"}']] }
  }
  for (const maker of ['anthropic', 'openai'] as const) {
    await using stage = await through(maker, calls, maker === 'openai' ? 'gpt-4.1' : undefined)
    const { gateway, model } = stage
    const first = await gateway.post('/v1/responses', { ...codex.body, model })
    const events = (await first.text()).split('\n').filter((line) => line.startsWith('data: {'))
    const { response } = parseJson(events.at(-1)!.slice(6)) as {
      response: { output: Record<string, unknown>[] }
    }
    const call = response.output.find(({ type }) => type === 'function_call')!
    expect(call).toMatchObject({ name: 'spawn_agent', namespace: 'multi_agent_v1' })
    const added = events.find(
      (line) => line.includes('response.output_item.added') && line.includes('function_call'),
    )
    expect(added).toContain('"namespace":"multi_agent_v1"')
    const output = { type: 'function_call_output', call_id: call['call_id'], output: 'ok' }
    const input = [...(codex.body['input'] as object[]), call, output]
    const second = await gateway.post('/v1/responses', {
      ...codex.body,
      model,
      input,
      stream: false,
    })
    expect([second.status, await second.text()]).toEqual([200, expect.stringContaining('Done')])
  }
})

test('drops web search beside other tools if the target lacks it, and rejects the request if it is the only tool', async () => {
  await using stage = await through('openai', script, 'gpt-4.1')
  const { gateway, model } = stage
  const tools = [{ type: 'web_search', external_web_access: true }]
  const beside = await gateway.post('/v1/responses', { ...codex.body, model })
  expect(beside.headers.get('x-sluice-dropped')).toContain('tools')
  const alone = await gateway.post('/v1/responses', { model, input: 'Hi', tools })
  expect([alone.status, await alone.text()]).toEqual([400, expect.stringContaining('tools')])
})

test('drops tool search for OpenAI and offers the tools of the request', async () => {
  await using stage = await through('openai', script, 'gpt-4.1')
  const { gateway, model } = stage
  const tools = [...(codex.body['tools'] as object[]), { type: 'tool_search' }]
  const response = await gateway.post('/v1/responses', { ...codex.body, model, tools })
  expect([response.status, await response.text()]).toEqual([
    200,
    expect.stringContaining('exec_command'),
  ])
  expect(response.headers.get('x-sluice-dropped')).toContain('tools[4]')
})

test('sends Claude Code’s web search to a model that can search', async () => {
  await using stage = await through('gemini', () => ({ text: 'Found' }))
  const response = await stage.gateway.post('/v1/messages', {
    model: stage.model,
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'Search for Paris' }],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
    tool_choice: { type: 'tool', name: 'web_search' },
  })
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Found')])
  expect(response.headers.get('x-sluice-dropped')).toBe('tools[0].max_uses')
  expect(stage.upstream.seen[0]!.body).toMatchObject({ tools: [{ googleSearch: {} }] })
})

test('gives messages unique ids when the upstream repeats one id', async () => {
  await using stage = await through('openai', () => ({ text: 'Hi' }), 'gpt-4.1')
  const ids: unknown[] = []
  for (const stream of [false, true, true]) {
    const { model } = stage
    const response = await stage.gateway.post('/v1/messages', {
      model,
      stream,
      max_tokens: 1000,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    ids.push(/"id":"(msg_\w+)"/.exec(await response.text())?.[1])
  }
  expect(new Set(ids).size).toBe(3)
  expect(ids).not.toContain(undefined)
})

test('moves a cache breakpoint from a message to its part and from a function to its tool', async () => {
  await using stage = await through('anthropic', script)
  const response = await stage.gateway.post('/v1/chat/completions', {
    model: stage.model,
    messages: [{ role: 'user', content: 'Hi', cache_control }],
    tools: [{ type: 'function', function: { name: 'f', parameters: path, cache_control } }],
  })
  expect([response.status, response.headers.get('x-sluice-dropped')]).toEqual([200, null])
  expect(stage.upstream.seen[0]!.body).toMatchObject({
    messages: [{ content: [{ text: 'Hi', cache_control }] }],
    tools: [{ name: 'f', cache_control }],
  })
})

test.each(['openai', 'gemini'] as const)(
  'drops cache breakpoints and reports them where %s has no field for them',
  async (type) => {
    await using stage = await through(type, script)
    const part = { type: 'text', text: 'Hi', cache_control }
    const messages = {
      model: stage.model,
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Hi' }],
    }
    const f = { name: 'f', input_schema: path }
    const asked = [
      ['chat/completions', { model: stage.model, messages: [{ role: 'user', content: [part] }] }],
      ['messages', { ...messages, system: [part] }],
      ['messages', { ...messages, tools: [{ ...f, cache_control }] }],
    ] as const
    for (const [path, body] of asked) {
      const response = await stage.gateway.post(`/v1/${path}`, body)
      expect(response.headers.get('x-sluice-dropped')).toBe('cache_control')
      expect(stage.upstream.seen.at(-1)!.text).not.toContain('cache_control')
    }
    const without = await stage.gateway.post('/v1/messages', { ...messages, tools: [f] })
    expect(without.headers.get('x-sluice-dropped')).toBeNull()
  },
)

test('answers a WebSocket upgrade with 426 at once, so that the client falls back to HTTP', async () => {
  await using stage = await through('openai', script)
  const { request } = await import('node:http')
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    const asked = request(`${stage.gateway.url}/v1/responses`, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on('error', reject).end()
  })
  expect(status).toBe(426)
})
