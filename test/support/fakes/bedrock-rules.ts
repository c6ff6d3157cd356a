/** Requests that Converse of Amazon Bedrock refuses with status 400, so that fake upstreams are no more lenient than the API. */
import { names, unknownIn, unknownOfKind } from './known-fields.ts'

type Fields = Readonly<Record<string, unknown>>

interface Turn {
  readonly role: string
  readonly content: readonly Fields[]
}

const fields: ReadonlySet<string> = new Set(
  `additionalModelRequestFields additionalModelResponseFieldPaths guardrailConfig inferenceConfig messages
  outputConfig performanceConfig promptVariables requestMetadata serviceTier system toolConfig`.split(
    /\s+/,
  ),
)
const inference: ReadonlySet<string> = new Set([
  'maxTokens',
  'temperature',
  'topP',
  'stopSequences',
])

/** Fields of the Messages API that Converse has no own form for. */
const ofClaude = names('anthropic_beta output_config thinking tool_choice top_k')

const inBlocks: Readonly<Record<string, ReadonlySet<string>>> = {
  toolUse: names('toolUseId name input type'),
  toolResult: names('toolUseId content status type'),
  cachePoint: names('type ttl'),
  image: names('format source'),
  document: names('format name source context citations'),
}

/** The API's error message for the first rule that a request to a Claude model breaks; undefined for a valid request. */
export function brokenConverseRule(body: Fields): string | undefined {
  const config = (body['inferenceConfig'] ?? {}) as Fields
  const unknown =
    Object.keys(body).find((name) => !fields.has(name)) ??
    Object.keys(config).find((name) => !inference.has(name))
  if (unknown !== undefined) return `Unexpected field type: ${unknown}`
  const further = unknownIn(body['additionalModelRequestFields'], ofClaude)
  if (further !== undefined)
    return `The model returned the following errors: ${further}: Extra inputs are not permitted`
  const messages = (body['messages'] ?? []) as readonly Turn[]
  return (
    brokenSystem((body['system'] ?? []) as readonly Fields[]) ??
    brokenTools(body['toolConfig'] as Fields | undefined, messages) ??
    brokenModelFields(body, config) ??
    brokenTurns(messages)
  )
}

function brokenSystem(system: readonly Fields[]): string | undefined {
  const known = names('text cachePoint guardContent')
  const other = system.map((block) => unknownIn(block, known)).find((name) => name !== undefined)
  if (other !== undefined) return `Unexpected field type: system.${other}`
  const isBlank = system.some(({ text }) => text !== undefined && String(text).trim() === '')
  return isBlank ? 'The text field in the SystemContentBlock object is blank.' : undefined
}

function brokenTools(config: Fields | undefined, messages: readonly Turn[]): string | undefined {
  const uses = messages.some(({ content }) =>
    content.some((block) => 'toolUse' in block || 'toolResult' in block),
  )
  if (config === undefined)
    return uses
      ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
      : undefined
  const tools = config['tools'] as readonly Fields[] | undefined
  if (!tools?.length) return "1 validation error detected: Value at 'toolConfig.tools' has length 0"
  for (const [at, tool] of tools.entries()) {
    if (tool['toolSpec'] === undefined) continue
    const unknown = unknownIn(tool['toolSpec'], names('name description inputSchema strict'))
    if (unknown !== undefined) return `Unexpected field type: ${unknown}`
    const { name, description, inputSchema } = tool['toolSpec'] as Fields
    const path = `toolConfig.tools.${at}.member.toolSpec`
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name)))
      return `Value '${String(name)}' at '${path}.name' failed to satisfy constraint`
    if (description === '') return `Value '' at '${path}.description' has length less than 1`
    const { type } = (inputSchema as { readonly json: Fields }).json
    if (type !== 'object') return `The value at ${path}.inputSchema.json.type must be: object`
  }
  return undefined
}

/** The errors of the Claude model behind Converse. */
function brokenModelFields(body: Fields, config: Fields): string | undefined {
  if ('temperature' in config && 'topP' in config)
    return '`temperature` and `top_p` cannot both be specified for this model. Please use only one.'
  const { thinking } = (body['additionalModelRequestFields'] ?? {}) as {
    readonly thinking?: Fields
  }
  if (thinking === undefined || thinking['type'] === 'disabled') return undefined
  if (
    thinking['type'] === 'enabled' &&
    Number(thinking['budget_tokens']) >= Number(config['maxTokens'] ?? Infinity)
  )
    return '`max_tokens` must be greater than `thinking.budget_tokens`'
  if ((config['temperature'] ?? 1) !== 1)
    return '`temperature` may only be set to 1 when thinking is enabled'
  return undefined
}

function brokenTurns(messages: readonly Turn[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'A conversation must start with a user message.'
  for (const [at, { role, content }] of messages.entries()) {
    const path = `messages.${at}.content`
    if (messages[at - 1]?.role === role)
      return 'A conversation must alternate between user and assistant roles.'
    if (content.length === 0)
      return `The content field in the Message object at messages.${at} is empty.`
    for (const [index, block] of content.entries()) {
      const broken = brokenBlock(block, `${path}.${index}`)
      if (broken !== undefined) return broken
    }
    const asked = idsOf(messages[at - 1], 'toolUse')
    const answered = idsOf(messages[at], 'toolResult')
    const missing = asked.filter((id) => !answered.includes(id))
    if (missing.length > 0)
      return `Expected toolResult blocks at ${path} for the following Ids: ${missing.join()}`
    if (answered.length > asked.length)
      return `The number of toolResult blocks at ${path} exceeds the number of toolUse blocks of previous turn.`
  }
  if (idsOf(messages.at(-1), 'toolUse').length > 0) return 'Expected toolResult blocks'
  return messages.at(-1)?.role === 'user'
    ? undefined
    : 'The model does not support assistant message prefill. The conversation must end with a user message.'
}

function idsOf(turn: Turn | undefined, kind: 'toolUse' | 'toolResult'): readonly string[] {
  return (turn?.content ?? []).flatMap((block) =>
    kind in block ? [String((block[kind] as Fields)['toolUseId'])] : [],
  )
}

function brokenBlock(block: Fields, path: string): string | undefined {
  if (Object.keys(block).length !== 1)
    return `ContentBlock object at ${path} must set one of its keys`
  const [kind = ''] = Object.keys(block)
  const unknown = unknownOfKind(block[kind] as Fields, inBlocks, kind)
  if (unknown !== undefined) return `Unexpected field type: ${path}.${kind}.${unknown}`
  const { text, toolUse, toolResult } = block as Readonly<Record<string, Fields | undefined>>
  if (text !== undefined && String(text).trim() === '')
    return `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`
  if (toolUse !== undefined && (typeof toolUse['input'] !== 'object' || toolUse['input'] === null))
    return `The format of the value at ${path}.toolUse.input is invalid. Provide a json object for the field and try again.`
  const id = (toolUse ?? toolResult)?.['toolUseId']
  if (id !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(String(id)))
    return `Value '${String(id)}' at '${path}.toolUseId' failed to satisfy constraint`
  const told = (toolResult?.['content'] ?? []) as readonly Fields[]
  const bad = told.find(
    ({ json }) => json !== undefined && (typeof json !== 'object' || Array.isArray(json)),
  )
  return bad && `The format of the value at ${path}.toolResult.content.0.json is invalid.`
}
