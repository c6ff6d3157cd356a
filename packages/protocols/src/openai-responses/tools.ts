import {
  type Fields,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  type ResponseFormat,
  someText,
  type Tool,
  type ToolChoice,
  textOf,
} from '@sluice/contract'
import type { Reports } from '../native-target.ts'
import { withoutNull } from '../neutral-values.ts'
import { namedSchema } from '../openai/named-schema.ts'
import { domainLists, searchFilters } from '../search-domains.ts'

/**
 * Tools of the two OpenAI APIs: chat completions wrap each one in a field of its type; in Responses they are flat and strict
 * by default (https://platform.openai.com/docs/guides/migrate-to-responses).
 */
export function flatTool(tool: Tool): Fields {
  if (tool.type === 'custom') {
    const { format, ...rest } = withoutNull(tool.custom ?? {})
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

export function isSearch({ type }: Fields): boolean {
  return searches.has(type)
}

const lists: ReadonlySet<string> = new Set(domainLists)

/** The web search, which is an option in chat completions and a tool here. */
export function searchOptions(
  tool: Fields,
  path: string,
  { leftOut }: Pick<Reports, 'leftOut'>,
): Fields {
  const {
    type: _,
    search_context_size: size,
    user_location: location,
    external_web_access: live,
    filters,
    ...rest
  } = tool
  // This asks for pages found earlier; a live search does no worse.
  if (live === false) leftOut(`${path}.external_web_access`)
  for (const [name, value] of Object.entries(rest)) if (value !== null) leftOut(`${path}.${name}`)
  for (const [name, value] of Object.entries(objectOf(filters)))
    if (value !== null && !lists.has(name)) leftOut(`${path}.filters.${name}`)
  const { type: __, ...place } = objectOf(location)
  return {
    ...(someText(size) === undefined ? {} : { search_context_size: size }),
    ...(isObject(location) ? { user_location: { type: 'approximate', approximate: place } } : {}),
    ...searchFilters(filters),
  }
}

/** A function or a free-form tool, wrapped in a field of its type. */
export function wrappedTool(flat: Fields): Tool {
  const { type, name, description, parameters, strict, format } = flat
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
    type: 'function',
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

/** The names that the functions have under which the tools of a request are sent. */
interface SentNames {
  /** The name of a namespace's tool. */
  readonly flat: (name: string, namespace?: string) => string
  /** The name of a tool that OpenAI defined, by its type; undefined if the request offers no such function. */
  readonly chosen: (type: unknown) => string | undefined
}

/** Throws `unsupported_value` if a tool is chosen that OpenAI runs. */
export function wrappedChoice(choice: unknown, names: SentNames): ToolChoice {
  if (choice === 'none' || choice === 'auto' || choice === 'required') return choice
  const {
    type,
    namespace,
    mode,
    tools,
    function: wrap,
    name = objectOf(wrap)['name'],
  } = objectOf(choice)
  // As objects, these modes come from Anthropic's API.
  if (type === 'none' || type === 'auto' || type === 'required') return type
  if (type === 'any') return 'required'
  if ((type === 'function' || type === 'custom') && typeof name !== 'string')
    throw new GatewayError('missing_parameter', "Missing required parameter: 'tool_choice.name'", {
      param: 'tool_choice.name',
    })
  const own = names.chosen(type)
  if (own !== undefined) return { type: 'function', function: { name: own } }
  const called = names.flat(textOf(name), someText(namespace))
  if (type === 'function') return { type, function: { name: called } }
  if (type === 'custom') return { type, custom: { name: called } }
  if (type === 'allowed_tools') {
    const wrapped = listOf(tools)
      .filter(isObject)
      .filter((tool) => !isSearch(tool))
      .map((tool) => wrappedReference(tool, names))
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

function wrappedReference(
  { type, name, namespace, ...rest }: Fields,
  { flat, chosen }: SentNames,
): Record<string, unknown> {
  const own = chosen(type)
  if (own !== undefined) return { type: 'function', function: { name: own } }
  const called = flat(textOf(name), someText(namespace))
  return typeof type === 'string'
    ? { type, [type]: { name: called, ...rest } }
    : { type, name: called }
}

/** `response_format` of chat completions as `text.format`, which holds the named schema without nesting. */
export function flatFormat(format: ResponseFormat): object {
  return format.type === 'json_schema'
    ? { type: format.type, ...format.json_schema }
    : { type: format.type }
}

/**
 * `text.format` as `response_format` of chat completions; undefined for plain text. Throws `missing_parameter` if the schema
 * is missing.
 */
export function wrappedFormat(format: Fields): ResponseFormat | undefined {
  const { type, ...schema } = format
  if (type === 'json_object') return { type }
  if (type !== 'json_schema') return undefined
  if (!isObject(schema['schema']))
    throw new GatewayError('missing_parameter', 'A json_schema format needs its schema', {
      param: 'text.format.schema',
    })
  return { type, json_schema: namedSchema(schema) }
}
