import {
  type Fields,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  someText,
  textOf,
  type Tool,
  type ToolChoice,
} from '@sluice/contract'

/**
 * Tools of the two OpenAI APIs: chat wraps each in a field of its type, Responses is flat and strict unless told
 * otherwise (https://platform.openai.com/docs/guides/migrate-to-responses).
 */
export function flatTool(tool: Tool): Fields {
  if (tool.type === 'custom') {
    const { format, ...rest } = withoutNulls(tool.custom ?? {})
    return { type: 'custom', ...rest, ...(isObject(format) ? { format: flatGrammar(format) } : {}) }
  }
  const { name, description, parameters, strict } = tool.function ?? { name: '' }
  return {
    type: 'function',
    name,
    ...(description == null ? {} : { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  }
}

const searches: ReadonlySet<unknown> = new Set([
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
])

/**
 * Web search is an option in chat and a tool here. The other tools of the list are left as they are. Throws
 * `unsupported_parameter` for a search that is narrowed in ways chat has no words for.
 */
export function withoutSearch(tools: readonly Fields[]): {
  readonly tools: readonly { readonly tool: Fields; readonly path: string }[]
  readonly search?: Fields
} {
  const placed = tools.map((tool, index) => ({ tool, path: `tools[${index}]` }))
  const found = placed.find(({ tool }) => searches.has(tool['type']))
  const others = placed.filter(({ tool }) => !searches.has(tool['type']))
  return found === undefined ? { tools: others } : { tools: others, search: searchOf(found) }
}

function searchOf({ tool, path }: { readonly tool: Fields; readonly path: string }): Fields {
  const { type: _, search_context_size: size, user_location: location, ...rest } = tool
  for (const [name, value] of Object.entries(rest))
    if (value !== null)
      throw new GatewayError('unsupported_parameter', `Web search has no ${name} here`, {
        param: `${path}.${name}`,
      })
  const { type: __, ...place } = objectOf(location)
  return {
    ...(someText(size) === undefined ? {} : { search_context_size: size }),
    ...(isObject(location) ? { user_location: { type: 'approximate', approximate: place } } : {}),
  }
}

/** Throws `unsupported_value` for built-in tools, which only OpenAI can run. */
export function wrappedTool(flat: Fields, path: string): Tool {
  const { type, name, description, parameters, strict, format } = flat
  if (type !== 'function' && type !== 'custom')
    throw new GatewayError(
      'unsupported_value',
      `Tools of type ${String(type)} are not available here; function and custom are`,
      { param: `${path}.type` },
    )
  const named = {
    name: textOf(name),
    ...(someText(description) ? { description: textOf(description) } : {}),
  }
  if (type === 'custom')
    return {
      type,
      custom: { ...named, ...(isObject(format) ? { format: wrappedGrammar(format) } : {}) },
    }
  return {
    type,
    function: {
      ...named,
      ...(isObject(parameters) ? { parameters } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
  }
}

function flatGrammar(format: Fields): Fields {
  const { grammar, ...rest } = format
  return { ...rest, ...objectOf(grammar) }
}

function wrappedGrammar(format: Fields): Record<string, unknown> {
  if (format['type'] !== 'grammar' || 'grammar' in format) return { ...format }
  const { type, ...grammar } = format
  return { type, grammar }
}

export function flatChoice(choice: ToolChoice): unknown {
  if (typeof choice === 'string') return choice
  if (choice.type === 'allowed_tools') {
    const { mode, tools } = choice.allowed_tools ?? { mode: 'auto', tools: [] }
    return { type: 'allowed_tools', mode, tools: tools.map(flatReference) }
  }
  return { type: choice.type, name: choice[choice.type]?.name }
}

function flatReference(tool: Fields): Fields {
  const { type } = tool
  const named = objectOf(typeof type === 'string' ? tool[type] : undefined)
  return { ...tool, ...named, ...(typeof type === 'string' ? { [type]: undefined } : {}) }
}

/** Throws `unsupported_value` for a choice of a built-in tool. */
export function wrappedChoice(choice: unknown): ToolChoice {
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice
  const { type, name, mode, tools } = objectOf(choice)
  if (type === 'function') return { type, function: { name: textOf(name) } }
  if (type === 'custom') return { type, custom: { name: textOf(name) } }
  if (type === 'allowed_tools') {
    const wrapped = listOf(tools).filter(isObject).map(wrappedReference)
    return {
      type,
      allowed_tools: { mode: mode === 'required' ? 'required' : 'auto', tools: wrapped },
    }
  }
  throw new GatewayError(
    'unsupported_value',
    'tool_choice names a tool that is not available here',
    {
      param: 'tool_choice.type',
    },
  )
}

function wrappedReference({ type, name, ...rest }: Fields): Record<string, unknown> {
  return typeof type === 'string' ? { type, [type]: { name, ...rest } } : { type, name }
}

function withoutNulls<T extends object>(value: T): Fields {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}
