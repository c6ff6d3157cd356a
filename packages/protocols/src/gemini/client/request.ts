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
import { messagePaths, type MessagePlaces } from '../../message-places.ts'
import { pathOfSearch } from '../../search-domains.ts'
import { pathOfServerTool } from '../../tools/offered-server-tools.ts'
import { configNames, configOf, withResolution } from './config.ts'
import { refuse } from './refuse.ts'
import { pick, spelled } from '../spelling.ts'
import { spelledPath } from '../spelled-path.ts'
import { checkPartKind, messagesOf, textsOf } from './messages.ts'
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
  ...Object.fromEntries(
    configNames.map(([own, canonical]) => [canonical, `generationConfig.${own}`]),
  ),
  stop: 'generationConfig.stopSequences',
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

/**
 * Translates a path in the canonical messages into a path in Gemini's contents. If an image has no resolution of its own, the
 * path of the resolution of the whole request is returned.
 */
export function pathInContents(canonical: string, request: unknown): string | undefined {
  const path = pathOf(canonical, request)
  const [, content, part] =
    /^contents\[(\d+)\]\.parts\[(\d+)\]\.mediaResolution$/.exec(path ?? '') ?? []
  if (content === undefined) return path
  const { parts } = objectOf(listOf(objectOf(request)['contents'])[Number(content)])
  const own = pick(objectOf(listOf(parts)[Number(part)]), 'mediaResolution')
  return own === undefined ? 'generationConfig.mediaResolution' : path
}

const pathOf = messagePaths({
  toCanonical: (request, context) => chatRequestOf(objectOf(request), context),
  placesOf,
  words: [
    [/\.image_url\.detail/, '.mediaResolution'],
    [/\.function\.arguments/, '.functionCall.args'],
    [/\.function\.name/, '.functionCall.name'],
    [/^\.tool_calls\[\d+\]\.id/, '.functionCall.id'],
    [/\.tool_call_id/, '.functionResponse'],
  ],
})

function placesOf(request: unknown): MessagePlaces {
  const parts = listOf(objectOf(request)['contents']).flatMap((content, index) =>
    listOf(objectOf(content)['parts'])
      .filter(isObject)
      .map((part, place) => ({ part, path: `contents[${index}].parts[${place}]` })),
  )
  const holding = (names: readonly string[]) =>
    parts.filter(({ part }) => names.some((name) => isObject(pick(part, name))))
  return {
    media: listOf(objectOf(request)['contents']).flatMap((_, index) => {
      const own = `contents[${index}].`
      const inside = holding(['functionResponse']).flatMap(({ part, path }) =>
        listOf(objectOf(pick(part, 'functionResponse'))['parts']).map(
          (__, place) => `${path}.functionResponse.parts[${place}]`,
        ),
      )
      // Results come before the rest of their content.
      return [...inside, ...holding(['inlineData', 'fileData']).map(({ path }) => path)].filter(
        (path) => path.startsWith(own),
      )
    }),
    calls: holding(['functionCall']).map(({ path }) => path),
    thought: parts.find(({ part }) => isThought(part))?.path,
    signature: parts.find(({ part }) => isSigned(part) && isObject(pick(part, 'functionCall')))
      ?.path,
    results: new Map(
      holding(['functionResponse']).map(({ part, path }) => [responseId(part), path]),
    ),
  }
}

function isThought(part: Fields): boolean {
  return part['thought'] === true || (isSigned(part) && !isObject(pick(part, 'functionCall')))
}

function isSigned(part: Fields): boolean {
  return pick(part, 'thoughtSignature') !== undefined
}

function responseId(part: Fields): unknown {
  return objectOf(pick(part, 'functionResponse'))['id']
}
