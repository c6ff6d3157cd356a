import type { ChatRequest } from '@sluice/contract'
import { forcesCall } from '../tools/tool-choice.ts'

/** The tool used for structured output: the model must call it, and its input is the response. */
export const jsonToolName = 'json_answer'

/** Whether the JSON tool is used for the response. It is not if the caller forces a call of its own tools. */
export function answersByTool({
  response_format: format,
  tool_choice: choice,
}: ChatRequest): boolean {
  return format != null && format.type !== 'text' && !forcesCall(choice)
}
