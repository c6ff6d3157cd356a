import type { ChatRequest, Fields } from '@sluice/contract'
import { closedSchema } from '../../claude/closed-schema.ts'
import { claudeModel, type ClaudeModel } from '../../families/claude.ts'
import { forcesCall } from '../../tools/tool-choice.ts'
import type { ToolBlock } from './tools.ts'

/**
 * How JSON output is enforced: by `output_config.format` if the model supports it and accepts the schema; otherwise by a tool
 * that must be called with the response as its input, which is unwrapped when the response is read.
 */
export type JsonAnswer =
  | { readonly by: 'format'; readonly schema: object }
  | { readonly by: 'tool'; readonly tool: ToolBlock }

export function jsonAnswer(
  request: ChatRequest,
  model: ClaudeModel,
  leftOut: (param: string) => void = () => {},
): JsonAnswer | undefined {
  const { response_format: format } = request
  if (format == null || format.type === 'text') return undefined
  if (format.type === 'json_object') return byTool(request, { schema: {} })
  const { schema, description } = format.json_schema
  const closed = model.structured
    ? closedSchema(schema, 'response_format.json_schema.schema', leftOut)
    : undefined
  if (closed !== undefined) return { by: 'format', schema: closed }
  return byTool(request, { schema, description })
}

function byTool(
  request: ChatRequest,
  {
    schema,
    description,
  }: { readonly schema: Fields; readonly description?: string | null | undefined },
): JsonAnswer | undefined {
  // If the caller forces a call, the response is that call and not JSON.
  if (forcesCall(request.tool_choice)) return undefined
  return {
    by: 'tool',
    tool: {
      name: freeName(request),
      description: `Give the answer by calling this tool.${description == null ? '' : ` ${description}`}`,
      input_schema: { type: 'object', ...schema },
    },
  }
}

function freeName({ tools }: ChatRequest): string {
  const taken = new Set((tools ?? []).map((tool) => tool.function?.name))
  let name = 'answer_in_json'
  while (taken.has(name)) name += '_'
  return name
}

/** The name of the tool used for JSON output; undefined if there is none. */
export function answerToolName(request: ChatRequest, name: string): string | undefined {
  const json = jsonAnswer(request, claudeModel(name))
  return json?.by === 'tool' ? json.tool.name : undefined
}
