/** Requests that the Messages API refuses with status 400, so that fake upstreams are no more lenient than the API. */
import type { AnthropicBlock } from './anthropic-wire.ts'
import { fieldsOfBetas, unknownClaudeField } from './claude-fields.ts'

interface Turn {
  readonly role: string
  readonly content: string | readonly AnthropicBlock[]
}

type Body = Readonly<Record<string, unknown>>

const fields: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'metadata',
  'service_tier',
  'cache_control',
])

/** The thinking that was issued, by its signature: it must come back unchanged. */
export type Issued = ReadonlyMap<string, string>

/** The API's error message for the first rule that a request breaks; undefined for a valid request. */
export function brokenMessagesRule(
  body: Body,
  issued: Issued,
  betas: readonly string[] = [],
): string | undefined {
  const messages = body['messages'] as readonly Turn[] | undefined
  const isKnown = (name: string) =>
    fields.has(name) || fieldsOfBetas[name]?.some((beta) => betas.includes(beta)) === true
  const unknown = Object.keys(body).find((name) => !isKnown(name))
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`
  if (!Number.isInteger(body['max_tokens'])) return 'max_tokens: Field required'
  if (!messages?.length) return 'messages: at least one message is required'
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  const model = String(body['model'])
  if ('temperature' in body && 'top_p' in body && !/claude-(3|(sonnet|opus)-4-20)/.test(model))
    return '`temperature` and `top_p` cannot both be specified for this model. Please use only one.'
  return (
    unknownClaudeField(body) ??
    brokenTools(body) ??
    brokenModel(body, model) ??
    brokenThinking(body, messages, issued) ??
    brokenTurns(messages, model)
  )
}

const older = /claude-(3|(sonnet|opus)-4-20|opus-4-1)/
const newest = /claude-(opus-4-[78]|(opus|sonnet|haiku|fable)-5)/

/** What Claude models of some generations reject. */
function brokenModel(body: Body, model: string): string | undefined {
  const { stop_sequences: stops = [], temperature, top_p: topP, top_k: topK } = body
  if ((stops as readonly string[]).some((stop) => stop.trim() === ''))
    return 'stop_sequences: each stop sequence must contain non-whitespace'
  const { type } = (body['thinking'] ?? {}) as Body
  const { effort, format } = (body['output_config'] ?? {}) as Body
  if (newest.test(model)) {
    if ((temperature ?? 1) !== 1 || topP !== undefined || topK !== undefined)
      return '`temperature`, `top_p` and `top_k` are not supported for this model.'
    if (type === 'enabled') return '"thinking.type.enabled" is not supported for this model.'
    if (type === 'disabled' && /-5-5/.test(model)) return 'thinking: cannot be disabled'
    const { type: choice } = (body['tool_choice'] ?? {}) as Body
    if (/-5-5/.test(model) && (choice === 'any' || choice === 'tool'))
      return 'tool_choice: this model does not support forced tool use'
  }
  if (type === 'adaptive' && (older.test(model) || /-4-5/.test(model)))
    return 'adaptive thinking is not supported on this model'
  if (type === 'enabled' && /claude-3-5/.test(model))
    return 'thinking is not supported on this model'
  if (effort !== undefined && (older.test(model) || /(sonnet|haiku)-4-5/.test(model)))
    return 'This model does not support the effort parameter.'
  if (effort === 'xhigh' && /-4-[56]/.test(model)) return 'output_config.effort: xhigh'
  return format !== undefined && /claude-(3|(sonnet|opus)-4-20)/.test(model)
    ? 'output_config.format: structured outputs are not supported on this model'
    : undefined
}

function brokenTools(body: Body): string | undefined {
  for (const tool of (body['tools'] ?? []) as readonly Body[]) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool['name']))) return 'tools.0.name: bad'
    if (String(tool['type']).startsWith('web_search_')) continue
    if ((tool['input_schema'] as Body | undefined)?.['type'] !== 'object')
      return 'tools.0.custom.input_schema.type: Field required'
  }
  return undefined
}

function brokenThinking(body: Body, messages: readonly Turn[], issued: Issued): string | undefined {
  for (const [at, { role, content }] of messages.entries())
    for (const [index, block] of blocksOf(content).entries()) {
      if (block.type !== 'thinking') continue
      const path = `messages.${at}.content.${index}`
      if (role !== 'assistant') return `${path}: thinking blocks may only be in assistant messages`
      if (issued.get(String(block['signature'])) !== block['thinking'])
        return `${path}: Invalid \`signature\` in \`thinking\` block`
    }
  const thinking = body['thinking'] as Body | undefined
  const isOff = thinking === undefined || thinking['type'] === 'disabled'
  const clears = /clear_thinking_\d+/.exec(JSON.stringify(body['context_management'] ?? ''))?.[0]
  if (isOff && clears !== undefined)
    return `\`${clears}\` strategy requires \`thinking\` to be enabled or adaptive`
  if (isOff) return undefined
  if (thinking['type'] === 'enabled') {
    const budget = Number(thinking['budget_tokens'])
    if (!(budget >= 1024)) return 'thinking.enabled.budget_tokens: Input should be at least 1024'
    if (budget >= Number(body['max_tokens']))
      return '`max_tokens` must be greater than `thinking.budget_tokens`'
  }
  if ((body['temperature'] ?? 1) !== 1)
    return '`temperature` may only be set to 1 when thinking is enabled'
  const choice = (body['tool_choice'] as Body | undefined)?.['type']
  if (choice === 'any' || choice === 'tool')
    return 'Thinking may not be enabled when tool_choice forces tool use.'
  return thinking['type'] === 'enabled' ? unthoughtStep(messages) : undefined
}

/** With thinking on, the assistant messages of the current tool loop must start with their thinking. */
function unthoughtStep(messages: readonly Turn[]): string | undefined {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const [first] = blocksOf(messages[at]?.content ?? '')
  const last = messages.at(-1)
  const isLoop = blocksOf(last?.content ?? '').some(({ type }) => type === 'tool_result')
  if (!isLoop || first?.type === 'thinking' || first?.type === 'redacted_thinking') return undefined
  return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`
}

function blocksOf(content: Turn['content']): readonly AnthropicBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function brokenTurns(messages: readonly Turn[], model: string): string | undefined {
  const ids = new Set<string>()
  for (const [at, { role, content }] of messages.entries()) {
    const path = `messages.${at}`
    if (role !== 'user' && role !== 'assistant') return `${path}.role: Input should be 'user'`
    if (messages[at - 1]?.role === role) return `${path}: roles must alternate`
    const blocks = blocksOf(content)
    if (blocks.length === 0) return `${path}: all messages must have non-empty content`
    const before = callIds(blocksOf(messages[at - 1]?.content ?? []))
    const broken =
      brokenBlocks(blocks, path) ?? (role === 'user' ? brokenResults(blocks, before, path) : '')
    if (broken) return broken
    for (const id of callIds(blocks)) {
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) return `${path}.content.0.tool_use.id: String should match`
      if (ids.has(id)) return `${path}.content.0: \`tool_use\` ids must be unique`
      ids.add(id)
    }
    if (role === 'assistant' && callIds(blocks).length > 0 && at === messages.length - 1)
      return `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`
  }
  if (messages.at(-1)?.role === 'assistant' && !/-(3|4-[015]|4-20)/.test(model))
    return 'This model does not support assistant message prefill. The conversation must end with a user message.'
  const last = blocksOf(messages.at(-1)?.content ?? '').at(-1)
  if (messages.at(-1)?.role === 'assistant' && /\s$/.test(String(last?.['text'])))
    return 'messages: final assistant content cannot end with trailing whitespace'
  return undefined
}

function callIds(blocks: readonly AnthropicBlock[]): readonly string[] {
  return blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : []))
}

function brokenBlocks(blocks: readonly AnthropicBlock[], path: string): string | undefined {
  for (const [index, block] of blocks.entries()) {
    const text = String(block['text'] ?? '')
    if (block.type === 'text' && text === '')
      return `${path}: text content blocks must be non-empty`
    if (block.type === 'text' && text.trim() === '')
      return `${path}: text content blocks must contain non-whitespace text`
    const { input } = block
    if (block.type === 'tool_use' && (typeof input !== 'object' || input === null))
      return `${path}.content.${index}.tool_use.input: Input should be a valid dictionary`
    if (block.type === 'tool_result' && Array.isArray(block['content'])) {
      const inner = brokenBlocks(block['content'] as AnthropicBlock[], path)
      if (inner !== undefined) return inner
    }
    if (block.type === 'tool_result' && block['is_error'] === true && !block['content'])
      return `${path}: content cannot be empty if \`is_error\` is true`
  }
  return undefined
}

function brokenResults(
  blocks: readonly AnthropicBlock[],
  asked: readonly string[],
  path: string,
): string | undefined {
  const results = blocks.flatMap(({ type, tool_use_id: id }) =>
    type === 'tool_result' ? [String(id)] : [],
  )
  const missing = asked.find((id) => !results.includes(id))
  if (missing !== undefined)
    return `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}`
  const stray = results.find((id) => !asked.includes(id))
  if (stray !== undefined)
    return `${path}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`
  if (new Set(results).size < results.length)
    return `${path}: each tool_use must have a single result`
  if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
    return `${path}: \`tool_result\` blocks must come first`
  return undefined
}
