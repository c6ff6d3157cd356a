import {
  type ChatRequest,
  type Fields,
  isObject,
  listOf,
  objectOf,
  someText,
  type Tool,
  type ToolChoice,
} from '@sluice/contract'
import {
  geminiTool,
  isGoogleSearch,
  type PlacedServerTool,
} from '../../tools/offered-server-tools.ts'
import { pick, refuse } from './fields.ts'
import { toJsonSchema } from './json-schema.ts'

/** The canonical fields that `tools` and `toolConfig` say; `root` is the path of the request they are in. */
export function toolFields(request: Fields, root: string): Partial<ChatRequest> {
  const entries = listOf(request['tools']).filter(isObject)
  const server = serverTools(request, root)
  const tools = entries.flatMap((entry, index) =>
    listOf(pick(entry, 'functionDeclarations'))
      .filter(isObject)
      .map((declaration, place) =>
        toolOf(declaration, `${root}tools[${index}].functionDeclarations[${place}]`),
      ),
  )
  const choice = choiceOf(objectOf(pick(request, 'toolConfig')), `${root}toolConfig`)
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(asksForSearch(request) ? { web_search_options: {} } : {}),
    ...(server.length === 0 ? {} : { server_tools: server.map(({ tool }) => tool) }),
  }
}

function asksForSearch(request: unknown): boolean {
  return listOf(objectOf(request)['tools'])
    .filter(isObject)
    .some((entry) => pick(entry, 'googleSearch') !== undefined)
}

/** The tools of Google's own that others may have too; what of a search has no word elsewhere is refused. */
export function serverTools(request: Fields, root: string): readonly PlacedServerTool[] {
  return listOf(request['tools'])
    .filter(isObject)
    .flatMap((entry, index) =>
      Object.entries(entry).flatMap(([name, value]): readonly PlacedServerTool[] => {
        const path = `${root}tools[${index}].${name}`
        const isDeclared = name === 'functionDeclarations' || name === 'function_declarations'
        if (value === null || isDeclared) return []
        if (isGoogleSearch(name, value)) {
          const [wish] = Object.keys(objectOf(value))
          return wish === undefined ? [] : refuse(`${path}.${wish}`)
        }
        const tool = geminiTool(name, value)
        return tool === undefined ? refuse(path) : [{ tool, path }]
      }),
    )
}

function toolOf(declaration: Fields, path: string): Tool {
  if (declaration['behavior'] === 'NON_BLOCKING') refuse(`${path}.behavior`)
  const plain = pick(declaration, 'parametersJsonSchema')
  const own = declaration['parameters']
  const parameters = isObject(plain) ? plain : isObject(own) ? toJsonSchema(own) : undefined
  const description = someText(declaration['description'])
  return {
    type: 'function',
    function: {
      name: String(declaration['name']),
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
    },
  }
}

function choiceOf(config: Fields, path: string): ToolChoice | undefined {
  const retrieval = pick(config, 'retrievalConfig')
  if (isObject(retrieval) && Object.keys(retrieval).length > 0) refuse(`${path}.retrievalConfig`)
  const calling = objectOf(pick(config, 'functionCallingConfig'))
  const names = listOf(pick(calling, 'allowedFunctionNames')).filter(
    (name) => typeof name === 'string',
  )
  switch (someText(calling['mode'])?.toUpperCase()) {
    case 'NONE':
      return 'none'
    case 'ANY':
      return names.length === 0 ? 'required' : chosen(names, 'required')
    case 'VALIDATED':
      return names.length === 0 ? 'auto' : chosen(names, 'auto')
    case 'AUTO':
      return 'auto'
    default:
      return undefined
  }
}

function chosen(names: readonly string[], mode: 'auto' | 'required'): ToolChoice {
  const [only = ''] = names
  if (names.length === 1 && mode === 'required')
    return { type: 'function', function: { name: only } }
  return {
    type: 'allowed_tools',
    allowed_tools: {
      mode,
      tools: names.map((name) => ({ type: 'function', function: { name } })),
    },
  }
}
