import {
  type ChatRequest,
  type Fields,
  isObject,
  listOf,
  type Message,
  objectOf,
  someText,
} from '@sluice/contract'
import type { FormatContext } from '../../client-format.ts'
import { pathOfSearch } from '../../search-domains.ts'
import { pathOfServerTool } from '../../tools/offered-server-tools.ts'
import { configOf, withResolution } from './config.ts'
import { pick, refuse, spelled, spelledPath } from './fields.ts'
import { messagesOf, textsOf } from './messages.ts'
import { checkPartKind } from './part-kinds.ts'
import { pathOfFunction, searchPath, searchWords, serverTools, toolFields } from './tools.ts'

/**
 * A generateContent request as a chat request. Features that only Gemini supports (cached contents, safety settings) are
 * rejected: a request to Gemini itself is sent unchanged and does not come here. `root` is the path of the request inside the
 * caller's body; it is '' or ends in a dot.
 */
export function chatRequestOf(
  request: Fields,
  { newId }: Pick<FormatContext, 'newId'>,
  root = '',
): ChatRequest {
  if (pick(request, 'cachedContent') !== undefined) refuse(root + spelled(request, 'cachedContent'))
  refuseSafety(listOf(pick(request, 'safetySettings')), `${root}safetySettings`)
  const config = objectOf(pick(request, 'generationConfig'))
  const configPath = `${root}generationConfig`
  const messages = messagesOf(listOf(request['contents']), `${root}contents`, newId)
  const system = systemMessages(pick(request, 'systemInstruction'), `${root}systemInstruction`)
  return {
    model: String(request['model']),
    messages: [...system, ...withResolution(messages, config, configPath)],
    ...configOf(config, configPath),
    ...toolFields(request, root),
    ...tierOf(request, root),
  }
}

/** Other providers do not have Gemini's filters, so a request to switch them off has no effect and is accepted. */
const noFilter: ReadonlySet<unknown> = new Set([
  'OFF',
  'BLOCK_NONE',
  'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
])

function refuseSafety(settings: readonly unknown[], path: string): void {
  for (const [index, setting] of settings.entries())
    if (!noFilter.has(objectOf(setting)['threshold'])) refuse(`${path}[${index}]`)
}

function systemMessages(instruction: unknown, path: string): readonly Message[] {
  if (!isObject(instruction)) return []
  const parts = listOf(instruction['parts']).filter(isObject)
  for (const [index, part] of parts.entries()) {
    checkPartKind(part, `${path}.parts[${index}]`)
    if (part['text'] == null) refuse(`${path}.parts[${index}]`, 'instructions are text')
  }
  const texts = textsOf(parts)
  const [first] = texts
  if (first === undefined) return []
  const content =
    texts.length === 1 ? first : texts.map((text) => ({ type: 'text' as const, text }))
  return [{ role: 'system', content }]
}

function tierOf(request: Fields, root: string): Partial<ChatRequest> {
  const tier = someText(pick(request, 'serviceTier'))?.toLowerCase()
  switch (tier) {
    case undefined:
    case 'unspecified':
    case 'standard':
      return {}
    case 'flex':
    case 'priority':
      return { service_tier: tier }
    default:
      return refuse(`${root}serviceTier`)
  }
}

/** Maps canonical fields to their place in a generateContent request. */
const places: Readonly<Record<string, string>> = {
  messages: 'contents',
  temperature: 'generationConfig.temperature',
  top_p: 'generationConfig.topP',
  top_k: 'generationConfig.topK',
  n: 'generationConfig.candidateCount',
  max_completion_tokens: 'generationConfig.maxOutputTokens',
  stop: 'generationConfig.stopSequences',
  seed: 'generationConfig.seed',
  presence_penalty: 'generationConfig.presencePenalty',
  frequency_penalty: 'generationConfig.frequencyPenalty',
  logprobs: 'generationConfig.responseLogprobs',
  top_logprobs: 'generationConfig.logprobs',
  response_format: 'generationConfig.responseJsonSchema',
  reasoning_effort: 'generationConfig.thinkingConfig.thinkingLevel',
  thinking_budget: 'generationConfig.thinkingConfig.thinkingBudget',
  modalities: 'generationConfig.responseModalities',
  audio: 'generationConfig.speechConfig',
  tool_choice: 'toolConfig.functionCallingConfig',
  service_tier: 'serviceTier',
}

export function paramOfChat(canonical: string, request: unknown): string {
  const path = pathOfServerTool(canonical, () => serverTools(objectOf(request), ''))
  if (path !== undefined) return path
  const search = pathOfSearch(canonical, () => searchPath(objectOf(request)['tools']), searchWords)
  if (search !== undefined) return search
  const tool = /^tools\[(\d+)\](?!\.functionD)(?:\.function)?(.*)$/.exec(canonical)
  if (tool !== null) return pathOfFunction(objectOf(request), Number(tool[1])) + (tool[2] ?? '')
  const [field = ''] = canonical.split(/[.[]/)
  const config = objectOf(pick(objectOf(request), 'generationConfig'))
  const isOwnSchema = field === 'response_format' && isObject(pick(config, 'responseSchema'))
  const known = isOwnSchema ? 'generationConfig.responseSchema' : places[field]
  const place = known === undefined ? canonical : spelledPath(known, request)
  return field === 'tool_choice' && canonical.endsWith('.name')
    ? `${place}.allowedFunctionNames[${/\[(\d+)\]/.exec(canonical)?.[1] ?? 0}]`
    : place
}
