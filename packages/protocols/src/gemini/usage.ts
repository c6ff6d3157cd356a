import {
  countOf,
  type Fields,
  isObject,
  listOf,
  objectOf,
  serverToolCounts,
  textOf,
  type Usage,
} from '@sluice/contract'
import { queriesOf } from '../server-tools.ts'
import { servedAs } from '../usage.ts'
import { partMembers } from './part-members.ts'
import { ServerTools } from './server-tools.ts'

/**
 * UsageMetadata (https://ai.google.dev/api/generate-content#UsageMetadata). The prompt's count includes cached tokens; the
 * candidates' count does not include thoughts; tokens that tools added to the prompt are counted separately.
 */
export function readUsage(metadata: unknown): Usage | undefined {
  if (!isObject(metadata)) return undefined
  const prompt = countOf(metadata['promptTokenCount'])
  const candidates = countOf(metadata['candidatesTokenCount'])
  const thoughts = countOf(metadata['thoughtsTokenCount'])
  if (prompt === undefined && candidates === undefined && thoughts === undefined) return undefined
  const { promptTokensDetails, cacheTokensDetails, candidatesTokensDetails } = metadata
  // Fields are set one after the other because every fragment of a stream reports its usage.
  const usage: Writable<Usage> = {
    inputTokens: (prompt ?? 0) + (countOf(metadata['toolUsePromptTokenCount']) ?? 0),
    outputTokens: (candidates ?? 0) + (thoughts ?? 0),
  }
  setCount(usage, 'cachedInputTokens', countOf(metadata['cachedContentTokenCount']))
  setCount(usage, 'reasoningTokens', thoughts)
  setCount(usage, 'audioInputTokens', tokensOf(promptTokensDetails, 'AUDIO'))
  setCount(usage, 'cachedAudioInputTokens', tokensOf(cacheTokensDetails, 'AUDIO'))
  setCount(usage, 'imageInputTokens', tokensOf(promptTokensDetails, 'IMAGE'))
  setCount(usage, 'audioOutputTokens', tokensOf(candidatesTokensDetails, 'AUDIO'))
  setCount(usage, 'imageOutputTokens', tokensOf(candidatesTokensDetails, 'IMAGE'))
  return servedAs(tierOf(metadata), usage)
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

function setCount(
  usage: Writable<Usage>,
  name: Exclude<keyof Usage, 'serverToolCalls' | 'size' | 'quality' | 'serviceTier'>,
  count: number | undefined,
): void {
  if (count !== undefined) usage[name] = count
}

/** The Gemini API reports `serviceTier`, such as `flex`; Vertex AI `trafficType`, such as `ON_DEMAND_FLEX`. */
function tierOf({ serviceTier, trafficType }: Fields): string | undefined {
  const tier = serviceTier ?? trafficType
  if (typeof tier !== 'string') return undefined
  return tier.toLowerCase().replace(/^(?:service_tier|traffic_type|on_demand)_/, '')
}

function tokensOf(details: unknown, modality: string): number | undefined {
  if (!Array.isArray(details)) return undefined
  for (const detail of details)
    if (isObject(detail) && detail['modality'] === modality) return countOf(detail['tokenCount'])
  return undefined
}

/** UsageMetadata as the gateway writes it. */
interface WrittenUsage {
  readonly promptTokenCount: number
  readonly candidatesTokenCount: number
  readonly totalTokenCount: number
  readonly cachedContentTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly promptTokensDetails?: ReturnType<typeof modalities>
  readonly candidatesTokensDetails?: ReturnType<typeof modalities>
}

/** The internal form as UsageMetadata. */
export function formatUsage(usage: Usage): WrittenUsage {
  const { inputTokens, outputTokens, cachedInputTokens: cached } = usage
  const thoughts = usage.reasoningTokens ?? 0
  const candidates = Math.max(0, outputTokens - thoughts)
  const details = modalities(inputTokens, {
    AUDIO: usage.audioInputTokens ?? 0,
    IMAGE: usage.imageInputTokens ?? 0,
  })
  const sound = usage.audioOutputTokens ?? 0
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: candidates,
    totalTokenCount: inputTokens + outputTokens,
    ...(cached === undefined || cached === 0 ? {} : { cachedContentTokenCount: cached }),
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    ...(details.length === 0 ? {} : { promptTokensDetails: details }),
    ...(sound === 0 ? {} : { candidatesTokensDetails: modalities(candidates, { AUDIO: sound }) }),
  }
}

/** Tokens that belong to no other modality are text; modalities without tokens are left out. */
function modalities(
  total: number,
  others: Readonly<Record<string, number>>,
): readonly { readonly modality: string; readonly tokenCount: number }[] {
  const otherTokens = Object.values(others).reduce((sum, count) => sum + count, 0)
  return Object.entries({ TEXT: Math.max(0, total - otherTokens), ...others })
    .filter(([, tokenCount]) => tokenCount > 0)
    .map(([modality, tokenCount]) => ({ modality, tokenCount }))
}

/** The sources of an answer (GroundingChunk): the tool that found one, or null where its calls are told. */
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
  #hasCounts = false
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
    if (this.#queries.size === 0 && this.#finders.size === 0 && !this.#hasCounts) return usage
    const found = Object.fromEntries([...this.#finders].map((tool) => [tool, 1]))
    const searches = { web_search: this.#queries.size }
    return { ...usage, ...serverToolCounts(searches, found, this.#counts) }
  }

  #count(tool: string): void {
    this.#hasCounts = true
    this.#counts[tool] = (this.#counts[tool] ?? 0) + 1
  }

  #countMember(name: string): void {
    if (!Object.hasOwn(partMembers, name)) this.#count(name)
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
  for (const part of listOf(objectOf(candidate['content'])['parts']))
    if (isObject(part) && textOf(part['text']) === '') return true
  return false
}

/** The usage of a whole response. */
export function contentUsage(body: Fields): Usage | undefined {
  const usage = readUsage(body['usageMetadata'])
  if (usage === undefined) return undefined
  const counter = new ServerToolCounter()
  counter.add(body)
  return counter.in(usage)
}
