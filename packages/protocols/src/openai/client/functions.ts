import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  type FinishReason,
  invalidRequest,
  type Message,
  objectOf,
  someText,
  type Tool,
} from '@sluice/contract'
import type { ChatCompletionMessage, ChatCompletionRequest } from './schema.ts'

// OpenAI's deprecated `functions`, `function_call` and role `function`, and the tools that replaced them.

/** Whether the caller uses functions instead of tools and reads `function_call` in the response. */
export function usesFunctions({ functions, tools }: ChatCompletionRequest): boolean {
  return functions != null && !tools?.length
}

/** The functions as tools, with the choice among them; nothing if the caller uses tools. */
export function functionsAsTools(request: ChatCompletionRequest): Partial<ChatRequest> {
  if (!usesFunctions(request)) return {}
  const { functions, function_call: choice } = request
  checkChoice(request)
  return {
    tools: (functions ?? []).map(functionAsTool),
    // A function_call was always a single one.
    parallel_tool_calls: false,
    ...(choice == null
      ? {}
      : {
          tool_choice: typeof choice === 'string' ? choice : { type: 'function', function: choice },
        }),
  }
}

/** `checkChat` checks only a choice among tools. */
function checkChoice({ functions, function_call: choice }: ChatCompletionRequest): void {
  if (choice == null || typeof choice === 'string') return
  if (functions?.some(({ name }) => name === choice.name) !== true)
    throw invalidRequest(
      'function_call names a function that is not among functions',
      'function_call.name',
    )
}

function functionAsTool(given: Readonly<Record<string, unknown>>): Tool {
  const { name, description, parameters, ...rest } = given
  const text = someText(description)
  return {
    type: 'function',
    function: {
      ...rest,
      name: someText(name) ?? '',
      ...(text === undefined ? {} : { description: text }),
      ...(parameters == null ? {} : { parameters: { ...objectOf(parameters) } }),
    },
  }
}

/** Gives calls an id, and puts it into their results, which before only followed the calls. */
export function callsAsToolCalls(messages: readonly ChatCompletionMessage[]): Message[] {
  let open = ''
  return messages.map((message, index) => {
    // Without such calls the types are the same.
    if (hasNoFunction(message)) return message as Message
    const { role, function_call: call, ...rest } = message
    if (role === 'function') return { role: 'tool', ...rest, tool_call_id: open }
    if (call == null) return { role, ...rest }
    open = `function_call_${index}`
    return { role, ...rest, tool_calls: [{ id: open, type: 'function', function: call }] }
  })
}

function hasNoFunction(message: ChatCompletionMessage): boolean {
  return message.role !== 'function' && !('function_call' in message)
}

/** The response for a caller who uses functions. Of several calls it gets the first, because there is room for only one. */
export function withFunctionCalls(reply: ChatReply) {
  return {
    ...reply,
    choices: reply.choices.map((choice) => {
      const { tool_calls: calls, ...message } = choice.message
      const called = calls?.[0]?.function
      return {
        ...choice,
        message: { ...message, ...(called === undefined ? {} : { function_call: called }) },
        finish_reason: functionReason(choice.finish_reason),
      }
    }),
  }
}

/** One chunk of a streamed response for such a caller; undefined for a chunk of a further call. */
export function withFunctionDelta(chunk: ChatChunk) {
  const choices = chunk.choices.flatMap((choice) => {
    const { tool_calls: calls, ...delta } = choice.delta
    const called = calls?.find(({ index }) => index === 0)?.function
    if (called === undefined && calls !== undefined && Object.keys(delta).length === 0) return []
    return [
      {
        ...choice,
        delta: { ...delta, ...(called === undefined ? {} : { function_call: called }) },
        finish_reason: functionReason(choice.finish_reason),
      },
    ]
  })
  return choices.length === 0 ? undefined : { ...chunk, choices }
}

function functionReason(reason: FinishReason | null): string | null {
  return reason === 'tool_calls' ? 'function_call' : reason
}
