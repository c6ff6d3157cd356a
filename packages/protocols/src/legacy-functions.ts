import { type ChatRequest, type Message, objectOf, someText, type Tool } from '@sluice/contract'

/** True where the caller speaks of functions instead of tools and reads `function_call` in the answer. */
export function usesFunctions(request: ChatRequest): boolean {
  return (request.functions?.length ?? 0) > 0 && !request.tools?.length
}

/** OpenAI's deprecated `functions`, `function_call` and role `function` as the tools that followed them. */
export function functionsAsTools(request: ChatRequest): ChatRequest {
  const { functions, function_call: choice, ...rest } = request
  const messages = callsAsToolCalls(request.messages)
  if (!usesFunctions(request)) return { ...rest, messages }
  return {
    ...rest,
    messages,
    tools: (functions ?? []).map(functionAsTool),
    // A function_call was always a single one.
    parallel_tool_calls: false,
    ...(choice == null
      ? {}
      : {
          tool_choice:
            typeof choice === 'string'
              ? choice
              : { type: 'function' as const, function: { name: choice.name } },
        }),
  }
}

function functionAsTool(given: Readonly<Record<string, unknown>>): Tool {
  const { name, description, parameters } = given
  const text = someText(description)
  return {
    type: 'function',
    function: {
      name: someText(name) ?? '',
      ...(text === undefined ? {} : { description: text }),
      ...(parameters == null ? {} : { parameters: { ...objectOf(parameters) } }),
    },
  }
}

function callsAsToolCalls(messages: readonly Message[]): Message[] {
  let open = ''
  return messages.map((message, index) => {
    const { function_call: call, ...rest } = message
    if (message.role === 'function') return { ...rest, role: 'tool', tool_call_id: open }
    if (call == null) return message
    open = `function_call_${index}`
    return { ...rest, tool_calls: [{ id: open, type: 'function', function: call }] }
  })
}
