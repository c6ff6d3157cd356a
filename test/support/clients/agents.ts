/**
 * Small agents, one per client format: each sends a question, runs the tools that the model calls and sends back the model's
 * whole output in the format's own form, until the model makes no more calls.
 */
import { formatJson, parseJson } from '../../../packages/contract/src/wire/json.ts'
import type { Started } from '../start.ts'

export interface ToolResult {
  readonly text: string
  readonly failed: boolean
}

/** `input` is JSON text, or the plain input of a tool without a schema. */
export type RunTool = (name: string, input: string) => ToolResult

export interface AgentOptions {
  readonly gateway: Started
  readonly model: string
  readonly run: RunTool
  /** Whether responses are streamed; default true. */
  readonly stream?: boolean
  /** Called with every response in the client's format, assembled if it was streamed. */
  readonly heard?: (said: unknown) => void
}

/** Sends a message to the model and returns its final response. */
export type Agent = (question: string) => Promise<string>

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, inode: { type: 'integer' } },
} as const
const declared = [
  { name: 'read_file', description: 'Reads a file.', schema },
  { name: 'list_files', description: 'Lists files.', schema: { type: 'object' } },
] as const

async function answer(gateway: Started, path: string, body: object): Promise<string> {
  const response = await gateway.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: formatJson(body),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  return text
}

/** A whole response. Its type is not checked: a wrong shape shows in what the agent does with it. */
async function whole<T>(gateway: Started, path: string, body: object): Promise<T> {
  return parseJson(await answer(gateway, path, body)) as T
}

/** The data of a stream's events, whose type is not checked either. */
async function events<T>(gateway: Started, path: string, body: object): Promise<readonly T[]> {
  return (await answer(gateway, path, body))
    .split(/\r?\n\r?\n/)
    .flatMap((block) => block.split(/\r?\n/).filter((line) => line.startsWith('data: ')))
    .map((line) => (line === done ? line : parseJson(line.slice('data: '.length))) as T)
}

const done = 'data: [DONE]'

interface ChatCall {
  id?: string
  readonly function: { name: string; arguments: string }
}

interface ChatMessage {
  readonly role: 'assistant'
  content: string | null
  reasoning_content?: string
  thinking_blocks?: readonly object[]
  reasoning_details?: readonly object[]
  extra_content?: object
  tool_calls?: ChatCall[]
}

interface ChatDelta extends Partial<Omit<ChatMessage, 'tool_calls'>> {
  readonly tool_calls?: readonly (Partial<ChatCall> & { readonly index: number })[]
}

interface ChatEvent {
  readonly choices: readonly { readonly delta: ChatDelta }[]
}

export function chatAgent({ gateway, model, run, stream = true, heard }: AgentOptions): Agent {
  const messages: object[] = [{ role: 'system', content: 'You are thorough.' }]
  const tools = declared.map(({ schema: parameters, ...rest }) => ({
    type: 'function',
    function: { ...rest, parameters },
  }))
  return async (question) => {
    messages.push({ role: 'user', content: question })
    for (;;) {
      const asked = {
        model,
        messages,
        tools,
        stream,
        max_completion_tokens: 8e3,
        reasoning_effort: 'low',
      }
      const message = await chatMessage(gateway, asked)
      heard?.(message)
      messages.push(message)
      if (message.tool_calls === undefined) return message.content ?? ''
      for (const { id, function: called } of message.tool_calls) {
        const { text, failed } = run(called.name, called.arguments)
        messages.push({ role: 'tool', tool_call_id: id, content: failed ? `Error: ${text}` : text })
      }
    }
  }
}

async function chatMessage(
  gateway: Started,
  asked: { readonly stream: boolean },
): Promise<ChatMessage> {
  const path = '/v1/chat/completions'
  if (!asked.stream) {
    const { choices } = await whole<{ choices: { message: ChatMessage }[] }>(gateway, path, asked)
    return choices[0]!.message
  }
  const said = await events<ChatEvent | typeof done>(gateway, path, asked)
  if (said.at(-1) !== done) throw new Error('The stream was not whole')
  return joined(said.flatMap((event) => (event === done ? [] : event.choices)))
}

function joined(choices: ChatEvent['choices']): ChatMessage {
  const message: ChatMessage = { role: 'assistant', content: null }
  for (const { delta } of choices) {
    if (delta.content) message.content = (message.content ?? '') + delta.content
    if (delta.reasoning_content)
      message.reasoning_content = (message.reasoning_content ?? '') + delta.reasoning_content
    for (const name of ['thinking_blocks', 'reasoning_details'] as const)
      if (delta[name]) message[name] = [...(message[name] ?? []), ...delta[name]]
    if (delta.extra_content) message.extra_content = delta.extra_content
    for (const { index, function: piece, ...rest } of delta.tool_calls ?? []) {
      message.tool_calls ??= []
      const call: ChatCall = (message.tool_calls[index] ??= {
        function: { name: '', arguments: '' },
      })
      Object.assign(call, rest)
      call.function.name += piece?.name ?? ''
      call.function.arguments += piece?.arguments ?? ''
    }
  }
  return message
}

interface Block {
  readonly type: string
  readonly id?: string
  readonly name?: string
  input?: unknown
  text?: string
  thinking?: string
  signature?: string
}

interface MessageEvent {
  readonly type: string
  readonly index: number
  readonly content_block: Block
  readonly delta: Partial<Block> & { readonly partial_json?: string }
}

/** Behaves as coding agents do with Claude: cache breakpoints, reminders after the results, and errors marked as such. */
export function messagesAgent({ gateway, model, run, stream = true, heard }: AgentOptions): Agent {
  const messages: { role: string; content: readonly object[] }[] = []
  const cache_control = { type: 'ephemeral' }
  const tools = declared.map(({ schema: input_schema, ...rest }) => ({ ...rest, input_schema }))
  return async (question) => {
    messages.push({ role: 'user', content: [{ type: 'text', text: question, cache_control }] })
    for (;;) {
      const asked = {
        model,
        messages,
        tools,
        stream,
        max_tokens: 8e3,
        system: [
          {
            type: 'text',
            text: 'You are thorough.',
            cache_control,
          },
        ],
        thinking: {
          type: 'enabled',
          budget_tokens: 4e3,
        },
        metadata: { user_id: 'user_1_account__session_2' },
      }
      const content = await messageBlocks(gateway, asked)
      heard?.(content)
      messages.push({ role: 'assistant', content })
      const results = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => {
          const { text, failed } = run(name ?? '', formatJson(input))
          const shown = failed ? text : text === '' ? [] : [{ type: 'text', text }]
          return { type: 'tool_result', tool_use_id: id, content: shown, is_error: failed }
        })
      if (results.length === 0) return content.map(({ text }) => text ?? '').join('')
      const reminder = { type: 'text', text: '<system-reminder>Go on.</system-reminder>' }
      messages.push({ role: 'user', content: [...results, reminder] })
    }
  }
}

async function messageBlocks(
  gateway: Started,
  asked: { readonly stream: boolean },
): Promise<readonly Block[]> {
  const path = '/v1/messages?beta=true'
  if (!asked.stream) return (await whole<{ content: Block[] }>(gateway, path, asked)).content
  const said = await events<MessageEvent>(gateway, path, asked)
  if (said.at(-1)?.type !== 'message_stop') throw new Error('The stream was not whole')
  return blocksOf(said)
}

function blocksOf(said: readonly MessageEvent[]): readonly Block[] {
  const blocks: Block[] = []
  const inputs: string[] = []
  for (const { type, index, content_block: block, delta } of said) {
    if (type === 'content_block_start') {
      blocks[index] = { ...block }
      inputs[index] = ''
    }
    const open = blocks[index]
    if (open === undefined) continue
    if (type === 'content_block_stop' && open.type === 'tool_use')
      open.input = parseJson(inputs[index] || '{}')
    if (type !== 'content_block_delta') continue
    inputs[index] += delta.partial_json ?? ''
    for (const name of ['text', 'thinking', 'signature'] as const)
      if (delta[name] !== undefined) open[name] = (open[name] ?? '') + delta[name]
  }
  return blocks
}

interface Item {
  readonly type: string
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: string
  readonly content?: readonly { readonly text: string }[]
}

interface ResponseEvent {
  readonly type: string
  readonly item: Item
  readonly response: { readonly id: string }
}

interface Responded {
  readonly id: string
  readonly output: readonly Item[]
}

async function responded(
  gateway: Started,
  asked: { readonly stream: boolean },
): Promise<Responded> {
  if (!asked.stream) return whole<Responded>(gateway, '/v1/responses', asked)
  const said = await events<ResponseEvent>(gateway, '/v1/responses', asked)
  const last = said.at(-1)
  if (last?.type !== 'response.completed') throw new Error('The stream was not whole')
  const output = said
    .filter(({ type }) => type === 'response.output_item.done')
    .map(({ item }) => item)
  return { id: last.response.id, output }
}

/** `store`: whether the gateway stores the conversation, or the agent keeps it with encrypted reasoning. */
export function responsesAgent(store: boolean): (options: AgentOptions) => Agent {
  return ({ gateway, model, run, stream = true, heard }) => {
    const history: object[] = []
    let previous: string | undefined
    const tools = declared.map(({ schema: parameters, ...rest }) => ({
      type: 'function',
      strict: false,
      parameters,
      ...rest,
    }))
    return async (question) => {
      let input: object[] = [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: question }] },
      ]
      for (;;) {
        history.push(...input)
        const asked = {
          model,
          tools,
          store,
          stream,
          instructions: 'You are thorough.',
          parallel_tool_calls: true,
          prompt_cache_key: 'session-1',
          max_output_tokens: 8e3,
          reasoning: {
            effort: 'low',
            summary: 'auto',
          },
          include: ['reasoning.encrypted_content'],
          input: store ? input : history,
          ...(store && previous !== undefined && { previous_response_id: previous }),
        }
        const { id, output: items } = await responded(gateway, asked)
        heard?.(items)
        previous = id
        history.push(...items)
        input = items
          .filter(({ type }) => type === 'function_call')
          .map(({ call_id, name = '', arguments: text = '' }) => {
            const result = run(name, text)
            const output = result.failed ? `Error: ${result.text}` : result.text
            return { type: 'function_call_output', call_id, output }
          })
        if (input.length === 0)
          return items.flatMap(({ content = [] }) => content.map(({ text }) => text)).join('')
      }
    }
  }
}

interface Part {
  readonly text?: string
  readonly thought?: boolean
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown }
}

interface Fragment {
  readonly candidates: readonly {
    readonly content?: { readonly parts?: readonly Part[] }
    readonly finishReason?: string
  }[]
}

export function contentsAgent({ gateway, model, run, stream = true, heard }: AgentOptions): Agent {
  const contents: object[] = []
  const functionDeclarations = declared.map(({ schema: parametersJsonSchema, ...rest }) => ({
    ...rest,
    parametersJsonSchema,
  }))
  return async (question) => {
    contents.push({ role: 'user', parts: [{ text: question }] })
    for (;;) {
      const asked = {
        contents,
        systemInstruction: { parts: [{ text: 'You are thorough.' }] },
        tools: [{ functionDeclarations }],
        generationConfig: {
          maxOutputTokens: 8000,
          thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' },
        },
      }
      const path = `/v1beta/models/${encodeURIComponent(model)}`
      const said = stream
        ? await events<Fragment>(gateway, `${path}:streamGenerateContent?alt=sse`, asked)
        : [await whole<Fragment>(gateway, `${path}:generateContent`, asked)]
      const candidates = said.flatMap(({ candidates: all }) => all)
      if (candidates.at(-1)?.finishReason !== 'STOP') throw new Error('The stream was not whole')
      const parts = candidates.flatMap(({ content }) => content?.parts ?? [])
      heard?.(parts)
      contents.push({ role: 'model', parts })
      const results = parts
        .flatMap(({ functionCall }) => functionCall ?? [])
        .map(({ id, name, args }) => {
          const { text, failed } = run(name, formatJson(args ?? {}))
          const response = failed ? { error: text } : { output: text }
          return { functionResponse: { ...(id && { id }), name, response } }
        })
      if (results.length === 0)
        return parts
          .filter(({ thought }) => !thought)
          .map(({ text = '' }) => text)
          .join('')
      contents.push({ role: 'user', parts: results })
    }
  }
}
