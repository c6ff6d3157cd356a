import {
  type ChatRequest,
  type Fields,
  isObject,
  objectOf,
  type Tool,
  textOf,
} from '@sluice/contract'
import { heldTool } from '../claude/closed-schema.ts'
import { encodeToolChoice } from '../claude/tool-choice.ts'
import { asksFor } from '../decisions.ts'
import { claudeModel } from '../families/claude.ts'
import type { CodecContext } from '../protocol.ts'
import { withObjectSchema } from '../tools/object-schema.ts'
import { allowedTools } from '../tools/tool-choice.ts'
import type { CachePoints } from './cache-points.ts'
import type { Block } from './media.ts'
import { answersByTool, jsonToolName } from './json-answer.ts'
import { modelFamily } from './model-family.ts'

interface ToolFields {
  readonly toolConfig?: Fields
  /** Claude's own `tool_choice`, for what Converse cannot express. */
  readonly additional: Fields
}

/**
 * Encodes tools for Converse, which cannot express "no call" or "one call at a time"; Claude models take these as additional
 * fields. Calls in the history need their tools, so tools the request no longer declares are added.
 */
export function encodeTools(
  request: ChatRequest,
  context: CodecContext,
  cachePoint: CachePoints,
): ToolFields {
  const byTool = answersByTool(request)
  const choice = choiceOf(request)
  const offered = offeredTools(request, context, cachePoint)
  const history = historyTools(request, new Set(offered.map(nameOf)))
  const without = choice === 'none' && history.length === 0 && !mentionsCalls(request)
  const tools = [
    ...(without ? [] : [...offered, ...history]),
    ...(byTool ? [jsonTool(request)] : []),
  ]
  if (tools.length === 0) return { additional: {} }
  if (byTool) {
    const toolChoice = tools.length > 1 ? { any: {} } : { tool: { name: jsonToolName } }
    return { toolConfig: { tools, toolChoice }, additional: {} }
  }
  const claude = claudeChoice(request, choice, context)
  if (claude !== undefined) return { toolConfig: { tools }, additional: { tool_choice: claude } }
  const toolChoice = choice === undefined || choice === 'none' ? undefined : choice
  return {
    toolConfig: { tools, ...(toolChoice === undefined ? {} : { toolChoice }) },
    additional: {},
  }
}

type Choice =
  | 'none'
  | { readonly auto: object }
  | { readonly any: object }
  | { readonly tool: { readonly name: string } }

function choiceOf({ tool_choice: choice }: ChatRequest): Choice | undefined {
  if (choice == null) return undefined
  if (choice === 'none') return 'none'
  if (choice === 'auto') return { auto: {} }
  if (choice === 'required') return { any: {} }
  if (choice.type === 'allowed_tools')
    return choice.allowed_tools?.mode === 'required' ? { any: {} } : { auto: {} }
  return { tool: { name: choice.function?.name ?? '' } }
}

/** Claude's own tool choice; undefined if Converse can express it. */
function claudeChoice(
  request: ChatRequest,
  choice: Choice | undefined,
  context: CodecContext,
): Fields | undefined {
  const serial = asksFor(request, 'parallel_tool_calls')
  if (choice !== 'none' && !serial) return undefined
  if (modelFamily(context.family) !== 'anthropic') {
    if (choice === 'none') context.unsupported('tool_choice')
    else context.leftOut('parallel_tool_calls')
    return undefined
  }
  return encodeToolChoice(request, { context, mayForce: true })
}

function offeredTools(
  request: ChatRequest,
  context: CodecContext,
  cachePoint: CachePoints,
): readonly Block[] {
  const allowed = allowedTools(request.tool_choice)
  return (request.tools ?? []).flatMap((tool, index) => {
    const path = `tools[${index}]`
    if (tool.function === undefined) return []
    if (allowed !== undefined && !allowed.has(tool.function.name)) return []
    const declared = withObjectSchema(tool.function, `${path}.function`, context)
    const claude = modelFamily(context.family) === 'anthropic'
    const held = claude
      ? heldTool(declared, { path, context, model: claudeModel(context.family) })
      : declared
    return [toolSpec(held), ...cachePoint(tool.cache_control, 'tool')]
  })
}

function toolSpec(declared: NonNullable<Tool['function']>): Block {
  const { name, description, parameters, strict } = declared
  return {
    toolSpec: {
      name,
      ...(description == null || description.trim() === '' ? {} : { description }),
      inputSchema: { json: objectSchema(parameters) },
      ...(strict === true ? { strict } : {}),
    },
  }
}

/** A schema without a type is refused. */
function objectSchema(parameters: unknown): Fields {
  if (!isObject(parameters)) return { type: 'object', properties: {} }
  return 'type' in parameters ? parameters : { type: 'object', ...parameters }
}

function jsonTool({ response_format: format }: ChatRequest): Block {
  const { schema, description } = format?.type === 'json_schema' ? format.json_schema : {}
  return {
    toolSpec: {
      name: jsonToolName,
      description: description ?? 'Gives the final answer: the input of this tool is the answer.',
      inputSchema: { json: objectSchema(schema) },
    },
  }
}

function nameOf(block: Block): string {
  return textOf(objectOf(block['toolSpec'])['name'])
}

function mentionsCalls({ messages }: ChatRequest): boolean {
  return messages.some(({ tool_calls: calls }) => (calls?.length ?? 0) > 0)
}

/** Tools that earlier messages called and the request no longer declares. */
function historyTools({ messages }: ChatRequest, known: ReadonlySet<string>): readonly Block[] {
  const names = new Set(
    messages
      .flatMap(({ tool_calls: calls }) => calls ?? [])
      .flatMap((call) => (call.function ?? call.custom)?.name ?? []),
  )
  return [...names].filter((name) => !known.has(name)).map((name) => toolSpec({ name }))
}
