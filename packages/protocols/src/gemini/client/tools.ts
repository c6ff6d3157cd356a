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
import { pick, refuse } from './fields.ts'
import { toJsonSchema } from './json-schema.ts'

/** The canonical fields that `tools` and `toolConfig` say; `root` is the path of the request they are in. */
export function toolFields(request: Fields, root: string): Partial<ChatRequest> {
  const entries = listOf(request['tools']).filter(isObject)
  for (const [index, entry] of entries.entries()) refuseOwnTools(entry, `${root}tools[${index}]`)
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
  }
}

function asksForSearch(request: unknown): boolean {
  return listOf(objectOf(request)['tools'])
    .filter(isObject)
    .some((entry) => pick(entry, 'googleSearch') !== undefined)
}

/** Functions and search have a canonical form; what else Google runs by itself has none. */
function refuseOwnTools(entry: Fields, path: string): void {
  for (const [name, value] of Object.entries(entry)) {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    if (camel === 'functionDeclarations' || value === null) continue
    if (camel !== 'googleSearch') refuse(`${path}.${name}`)
    if (isObject(value) && Object.keys(value).length > 0)
      refuse(`${path}.${name}.${Object.keys(value)[0]}`)
  }
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
  switch (calling['mode']) {
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
