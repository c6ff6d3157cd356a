import {
  type ChatRequest,
  type Fields,
  objectOf,
  type Tool,
  type ToolChoice,
} from '@sluice/contract'
import { mixesTools, takesJsonSchema } from '../../families/gemini.ts'
import type { CodecContext } from '../../protocol.ts'
import { domainLists, reportUnsupportedDomains, searchDomains } from '../../search-domains.ts'
import { withObjectSchema } from '../../tools/object-schema.ts'
import { allowedTools } from '../../tools/tool-choice.ts'
import {
  reportUnsupportedServerTools,
  sentAsFunction,
  sentServerTools,
} from '../../tools/offered-server-tools.ts'
import { isComputerUse } from '../computer-use.ts'
import type { FunctionCallingConfig } from '../generate-content.ts'
import { toGeminiSchema } from './schema.ts'

/** All functions in one entry, and Google Search next to it if a web search is requested. */
export function toolsOf(request: ChatRequest, context: CodecContext): readonly Fields[] {
  const declarations = (request.tools ?? []).flatMap((tool, index) =>
    declarationOf(tool, `tools[${index}]`, context),
  )
  if (declarations.length === 0) return googlesOwn(request, context)
  return [
    { functionDeclarations: declarations },
    ...(mixesTools(context.family)
      ? googlesOwn(request, context)
      : besideFunctions(request, context)),
  ]
}

const made = { code_execution: { codeExecution: {} }, web_fetch: { urlContext: {} } }

function googlesOwn(request: ChatRequest, context: CodecContext): readonly Fields[] {
  const { web_search_options: search } = request
  return [
    ...(search == null ? [] : [searchOf(search, context)]),
    ...sentServerTools(request, { api: 'gemini', made }, context),
  ]
}

/**
 * Beside functions, only computer use, which the caller runs, too. A search is one more tool that the model may use or not, so it
 * is left out.
 */
function besideFunctions(request: ChatRequest, context: CodecContext): readonly Fields[] {
  if (request.web_search_options != null)
    context.leftOut('web_search_options', 'this model takes no search beside functions')
  const own = request.server_tools ?? []
  const others = own.map((one) =>
    isComputerUse(one.tool) ? { ...one, type: sentAsFunction } : one,
  )
  reportUnsupportedServerTools({ server_tools: others }, context)
  return own.map(({ tool }) => tool).filter(isComputerUse)
}

/** Whether the request must declare that it combines functions with tools that Google runs; otherwise the response is 400. */
export function saysMix(tools: readonly Fields[]): boolean {
  const hasFunctions = tools.some((tool) => 'functionDeclarations' in tool)
  return hasFunctions && tools.filter((tool) => !isComputerUse(tool)).length > 1
}

function declarationOf(tool: Tool, path: string, context: CodecContext): readonly Fields[] {
  if (tool.function === undefined) return []
  const declared = withObjectSchema(tool.function, `${path}.function`, context)
  const { name, description, parameters, strict } = declared
  if (strict === true && !takesJsonSchema(context.family))
    context.leftOut(`${path}.function.strict`, 'this model does not hold to a schema')
  return [
    {
      name,
      ...(description == null ? {} : { description }),
      ...parametersOf(parameters, `${path}.function.parameters`, context),
    },
  ]
}

/** A function without parameters has no schema, because Gemini rejects an object without properties. */
function parametersOf(
  parameters: Fields | null | undefined,
  path: string,
  { family: model }: CodecContext,
): Fields {
  if (parameters == null || isEmptyObject(parameters)) return {}
  return takesJsonSchema(model)
    ? { parametersJsonSchema: parameters }
    : { parameters: toGeminiSchema(parameters, path) }
}

function isEmptyObject(schema: Fields): boolean {
  if (Object.keys(schema).length === 0) return true
  const shaped = ['$ref', 'anyOf', 'oneOf', 'allOf', 'patternProperties', '$defs']
  if (schema['type'] !== 'object' || shaped.some((name) => name in schema)) return false
  const free = schema['additionalProperties']
  return Object.keys(objectOf(schema['properties'])).length === 0 && (free ?? false) === false
}

function searchOf(options: Fields, context: CodecContext): Fields {
  const size = options['search_context_size']
  if (size != null && size !== 'medium') context.leftOut('web_search_options.search_context_size')
  if (options['user_location'] != null) context.leftOut('web_search_options.user_location')
  // Only Vertex, which has a project, can exclude domains; none of Google's APIs can restrict a search to some.
  const isVertex = context.settings['project'] !== undefined
  reportUnsupportedDomains(options, isVertex ? ['allowed_domains'] : domainLists, context)
  const { blocked_domains: blocked } = searchDomains(options)
  return { googleSearch: isVertex && blocked !== undefined ? { excludeDomains: blocked } : {} }
}

/**
 * Which functions may or must be called. VALIDATED is what OpenAI calls strict: calls conform to their schema (Gemini API,
 * function calling guide). Undefined means the default, AUTO.
 */
export function callingConfig(
  request: ChatRequest,
  context: CodecContext,
): FunctionCallingConfig | undefined {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = request
  if (!tools?.length) return undefined
  if (parallel === false) context.leftOut('parallel_tool_calls')
  const isStrict =
    takesJsonSchema(context.family) && tools.some((tool) => tool.function?.strict === true)
  if (choice == null || choice === 'auto') return isStrict ? { mode: 'VALIDATED' } : undefined
  if (choice === 'none') return { mode: 'NONE' }
  if (choice === 'required') return { mode: 'ANY' }
  return chosenFunctions(choice, context)
}

function chosenFunctions(
  choice: Exclude<ToolChoice, string>,
  context: CodecContext,
): FunctionCallingConfig | undefined {
  if (choice.type === 'function' && choice.function !== undefined)
    return { mode: 'ANY', allowedFunctionNames: [choice.function.name] }
  if (choice.type === 'allowed_tools' && choice.allowed_tools !== undefined) {
    const names = [...(allowedTools(choice) ?? [])]
    // An empty list would allow all of them.
    if (names.length === 0) return { mode: 'NONE' }
    const mode = choice.allowed_tools.mode === 'required' ? 'ANY' : 'VALIDATED'
    return { mode, allowedFunctionNames: names }
  }
  context.unsupported('tool_choice')
  return undefined
}
