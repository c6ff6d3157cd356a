import type { ChatRequest, Fields } from '@sluice/contract'
import { closedSchema } from '../../claude/closed-schema.ts'
import type { ClaudeModel } from '../../families/claude.ts'
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
  if (forcesCall(request)) return undefined
  return {
    by: 'tool',
    tool: {
      name: freeName(request),
      description: `Give the answer by calling this tool.${description == null ? '' : ` ${description}`}`,
      input_schema: { type: 'object', ...schema },
    },
  }
}

/** If the caller forces a call, the response is that call and not JSON. */
function forcesCall({ tool_choice: choice }: ChatRequest): boolean {
  if (choice == null) return false
  if (typeof choice === 'string') return choice === 'required'
  return choice.type !== 'allowed_tools' || choice.allowed_tools?.mode === 'required'
}

function freeName({ tools }: ChatRequest): string {
  const taken = new Set((tools ?? []).map((tool) => tool.function?.name))
  let name = 'answer_in_json'
  while (taken.has(name)) name += '_'
  return name
}
