import { countOf, type Fields, isObject, listOf, objectOf, type Usage } from '@sluice/contract'
import { servedAs } from '../usage.ts'

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
  const input = (prompt ?? 0) + (countOf(metadata['toolUsePromptTokenCount']) ?? 0)
  const cached = countOf(metadata['cachedContentTokenCount'])
  const audioIn = tokensOf(metadata['promptTokensDetails'], 'AUDIO')
  const imageIn = tokensOf(metadata['promptTokensDetails'], 'IMAGE')
  const audioCached = tokensOf(metadata['cacheTokensDetails'], 'AUDIO')
  const audioOut = tokensOf(metadata['candidatesTokensDetails'], 'AUDIO')
  const imageOut = tokensOf(metadata['candidatesTokensDetails'], 'IMAGE')
  return servedAs(tierOf(metadata), {
    inputTokens: input,
    outputTokens: (candidates ?? 0) + (thoughts ?? 0),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
    ...(audioIn === undefined ? {} : { audioInputTokens: audioIn }),
    ...(audioCached === undefined ? {} : { cachedAudioInputTokens: audioCached }),
    ...(imageIn === undefined ? {} : { imageInputTokens: imageIn }),
    ...(audioOut === undefined ? {} : { audioOutputTokens: audioOut }),
    ...(imageOut === undefined ? {} : { imageOutputTokens: imageOut }),
  })
}

/** The Gemini API reports `serviceTier`, such as `flex`; Vertex AI `trafficType`, such as `ON_DEMAND_FLEX`. */
function tierOf({ serviceTier, trafficType }: Fields): string | undefined {
  const tier = serviceTier ?? trafficType
  if (typeof tier !== 'string') return undefined
  return tier.toLowerCase().replace(/^(?:service_tier|traffic_type|on_demand)_/, '')
}

function tokensOf(details: unknown, modality: string): number | undefined {
  const found = listOf(details)
    .map(objectOf)
    .find((detail) => detail['modality'] === modality)
  return found === undefined ? undefined : countOf(found['tokenCount'])
}

/** The internal form as UsageMetadata. */
export function formatUsage(usage: Usage): Record<string, unknown> {
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
