import {
  type ChatRequest,
  type Fields,
  isObject,
  listOf,
  type ServerTool,
  textOf,
} from '@sluice/contract'
import { camelCase } from '../gemini/letter-case.ts'
import type { CodecContext } from '../protocol.ts'

// Tools that a provider runs itself, in the form of its own API, and their equivalents at other providers.

/** The type of a tool that the caller runs and that is among the functions instead (`withCallersFunctions`). */
export const sentAsFunction = 'sent as function'

/** A tool and its path in the caller's request. */
export interface PlacedServerTool {
  readonly tool: ServerTool
  readonly path: string
}

/**
 * Translates a canonical path into these tools into the caller's path; undefined for every other path. Most tools have a type.
 */
export function pathOfServerTool(
  canonical: string,
  placed: () => readonly PlacedServerTool[],
): string | undefined {
  const [, index, rest = ''] = /^server_tools\[(\d+)\](.*)$/.exec(canonical) ?? []
  if (index === undefined) return undefined
  const found = placed()[Number(index)]
  if (found === undefined) return 'tools'
  return found.path + (rest === '' && found.tool.api !== 'gemini' ? '.type' : rest)
}

/** The names of Anthropic's own tools contain a date (Claude docs, tool reference). */
const dated = /^(\w+)_\d{8}$/

export function anthropicTool(tool: Fields): ServerTool | undefined {
  const type = textOf(tool['type'])
  const [, name] = dated.exec(type) ?? []
  return name === undefined ? undefined : { type: name, api: 'anthropic', tool: { ...tool } }
}

/** Tools that OpenAI and xAI run themselves. The caller runs all others in Responses. */
const inResponses: Readonly<Record<string, string>> = {
  code_interpreter: 'code_execution',
  file_search: 'file_search',
  image_generation: 'image_generation',
  mcp: 'mcp',
  x_search: 'x_search',
}

export function responsesTool(tool: Fields): ServerTool | undefined {
  const type = inResponses[textOf(tool['type'])]
  return type === undefined ? undefined : { type, api: 'responses', tool: { ...tool } }
}

const inGemini: Readonly<Record<string, string>> = {
  codeExecution: 'code_execution',
  urlContext: 'web_fetch',
  googleMaps: 'google_maps',
  fileSearch: 'file_search',
  enterpriseWebSearch: 'enterprise_web_search',
  googleSearchRetrieval: 'google_search_retrieval',
  computerUse: 'computer_use',
}

/** The fields of a tool of Gemini's that are such tools. */
export const geminiToolNames: readonly string[] = Object.keys(inGemini)

/** A field of one of Gemini's tools, in either spelling, except the search, for which chat has an option. */
export function geminiTool(name: string, value: unknown): ServerTool | undefined {
  const camel = camelCase(name)
  const type = inGemini[camel]
  if (type === undefined || !isObject(value)) return undefined
  return { type, api: 'gemini', tool: { [camel]: { ...value } } }
}

export function isGoogleSearch(name: string, value: unknown): boolean {
  return camelCase(name) === 'googleSearch' && isObject(value)
}

type Reports = Pick<CodecContext, 'leftOut' | 'unsupported'>

/**
 * The tools that an upstream runs itself, in its own form. `made` holds its equivalents of other APIs' tools. Options that
 * cannot be carried over are reported, and so is a tool that the upstream does not have.
 */
export function sentServerTools(
  { server_tools: tools }: Pick<ChatRequest, 'server_tools'>,
  { api, made = {} }: { api: ServerTool['api']; made?: Readonly<Record<string, Fields>> },
  reports: Reports,
): readonly Fields[] {
  return (tools ?? []).flatMap((tool, index) => {
    if (tool.api === api) return [tool.tool]
    const own = made[tool.type]
    if (own === undefined) return reportUnsupportedServerTool(tool, index, reports)
    nameWishes(tool, `server_tools[${index}]`, reports)
    return [own]
  })
}

/**
 * A search for tools only saves the model from reading their schemas; all of the tools are in the request.
 */
function reportUnsupportedServerTool(
  { type, api }: ServerTool,
  index: number,
  reports: Reports,
): readonly [] {
  if (type === sentAsFunction) return []
  if (type.startsWith('tool_search_tool')) reports.leftOut(`server_tools[${index}]`)
  else
    reports.unsupported(
      `server_tools[${index}]`,
      api === 'chat'
        ? 'Chat completions define no tools of this type (OpenAI’s own are in /v1/responses): declare a function'
        : 'The target has no such tool, and a function cannot stand for it',
    )
  return []
}

/** Reports that none of the tools are available. */
export function reportUnsupportedServerTools(
  { server_tools: tools }: Pick<ChatRequest, 'server_tools'>,
  reports: Reports,
): void {
  for (const [index, tool] of (tools ?? []).entries())
    reportUnsupportedServerTool(tool, index, reports)
}

/** Options that restrict where a tool may look, or give it something to work with. */
const binding: ReadonlySet<string> = new Set(['allowed_domains', 'blocked_domains', 'container'])

function nameWishes({ api, tool }: ServerTool, path: string, reports: Reports): void {
  const { type: _, name: __, ...wishes } = api === 'gemini' ? innerOf(tool) : tool
  for (const [field, value] of Object.entries(wishes)) {
    if (value === null || isAutomatic(value)) continue
    if (!binding.has(field)) reports.leftOut(`${path}.${field}`)
    else if (!Array.isArray(value) || listOf(value).length > 0)
      reports.unsupported(`${path}.${field}`, 'Only the provider whose tool it is knows this')
  }
}

function innerOf(tool: Fields): Fields {
  const [inner] = Object.values(tool)
  return isObject(inner) ? inner : {}
}

function isAutomatic(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 1 && value['type'] === 'auto'
}
