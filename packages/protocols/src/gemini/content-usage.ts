import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  serverToolCounts,
  textOf,
  type Usage,
} from '@sluice/contract'
import { queriesOf } from '../server-tools.ts'
import { ServerTools } from './server-tools.ts'
import { readUsage } from './usage.ts'

/**
 * What a member of a part costs beside its tokens (https://ai.google.dev/api/caching#Part): null for nothing, `call` for what
 * `ServerTools` reads as a call. A member that is not here counts as a call of a tool with its name: without a price for it the
 * cost of the response is unknown.
 */
export const partTools: Readonly<Record<string, null | 'call'>> = {
  text: null,
  thought: null,
  thoughtSignature: null,
  inlineData: null,
  fileData: null,
  functionCall: null,
  functionResponse: null,
  audioTranscription: null,
  videoMetadata: null,
  mediaResolution: null,
  mediaProcessing: null,
  partMetadata: null,
  speechMetadata: null,
  executableCode: 'call',
  codeExecutionResult: 'call',
  toolCall: 'call',
  toolResponse: 'call',
}

/** The same of the sources of an answer (GroundingChunk): the tool that found one, or null where its calls are told. */
export const sourceTools: Readonly<Record<string, string | null>> = {
  web: null,
  image: null,
  retrievedContext: null,
  maps: 'google_maps',
}

/** Counts the calls of a response, complete or in fragments. */
export class ServerToolCounter {
  readonly #tools = new ServerTools(() => '')
  readonly #counts: Record<string, number> = {}
  /** Gemini 3 may tell a query twice, in a part and in the metadata. */
  readonly #queries = new Set<string>()
  /** Tools that found something, although no call of them is told. */
  readonly #finders = new Set<string>()

  add(body: Fields): void {
    for (const candidate of listOf(body['candidates']).filter(isObject)) {
      if (!mayHoldTools(candidate)) continue
      for (const call of this.#tools.read(candidate))
        if (call.type !== 'web_search') this.#count(call.type)
        else for (const query of queriesOf(call)) this.#queries.add(query)
      for (const part of partsOf(candidate)) for (const name in part) this.#countMember(name)
      this.#findersIn(objectOf(candidate['groundingMetadata']))
    }
  }

  /** The usage, including the calls counted so far. */
  in(usage: Usage): Usage {
    const found = Object.fromEntries([...this.#finders].map((tool) => [tool, 1]))
    const searches = { web_search: this.#queries.size }
    return { ...usage, ...serverToolCounts(searches, found, this.#counts) }
  }

  #count(tool: string): void {
    this.#counts[tool] = (this.#counts[tool] ?? 0) + 1
  }

  #countMember(name: string): void {
    if (!Object.hasOwn(partTools, name)) this.#count(name)
  }

  #findersIn({ groundingChunks: chunks, googleMapsWidgetContextToken: widget }: Fields): void {
    if (widget !== undefined) this.#finders.add('google_maps')
    for (const chunk of listOf(chunks).filter(isObject))
      for (const name in chunk) {
        const tool = Object.hasOwn(sourceTools, name) ? sourceTools[name] : name
        if (tool != null) this.#finders.add(tool)
      }
  }
}

function partsOf({ content }: Fields): readonly Fields[] {
  return listOf(objectOf(content)['parts']).filter(isObject)
}

function mayHoldTools(candidate: Fields): boolean {
  const { groundingMetadata, urlContextMetadata } = candidate
  if (groundingMetadata !== undefined || urlContextMetadata !== undefined) return true
  return partsOf(candidate).some((part) => textOf(part['text']) === '')
}

/** The usage of a whole response. */
export function contentUsage(body: Fields): Usage | undefined {
  const usage = readUsage(body['usageMetadata'])
  if (usage === undefined) return undefined
  const counter = new ServerToolCounter()
  counter.add(body)
  return counter.in(usage)
}
