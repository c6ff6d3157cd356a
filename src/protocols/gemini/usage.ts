import type { Usage } from '../../core/usage.ts'
import { countOf, isObject, listOf, objectOf } from '../openai/reading.ts'

/**
 * UsageMetadata (https://ai.google.dev/api/generate-content#UsageMetadata). Cached tokens are inside the prompt's
 * count; thoughts are not inside the candidates' count; what tools added to the prompt stands apart.
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
  const audioOut = tokensOf(metadata['candidatesTokensDetails'], 'AUDIO')
  return {
    inputTokens: input,
    outputTokens: (candidates ?? 0) + (thoughts ?? 0),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
    ...(audioIn === undefined ? {} : { audioInputTokens: audioIn }),
    ...(imageIn === undefined ? {} : { imageInputTokens: imageIn }),
    ...(audioOut === undefined ? {} : { audioOutputTokens: audioOut }),
  }
}

function tokensOf(details: unknown, modality: string): number | undefined {
  const found = listOf(details)
    .map(objectOf)
    .find((detail) => detail['modality'] === modality)
  return found === undefined ? undefined : countOf(found['tokenCount'])
}

/** The normal form as UsageMetadata. */
export function formatUsage(usage: Usage): Record<string, unknown> {
  const { inputTokens, outputTokens, cachedInputTokens: cached } = usage
  const thoughts = usage.reasoningTokens ?? 0
  const audio = usage.audioInputTokens ?? 0
  const image = usage.imageInputTokens ?? 0
  const details = [
    { modality: 'TEXT', tokenCount: Math.max(0, inputTokens - audio - image) },
    { modality: 'AUDIO', tokenCount: audio },
    { modality: 'IMAGE', tokenCount: image },
  ].filter(({ tokenCount }) => tokenCount > 0)
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: Math.max(0, outputTokens - thoughts),
    totalTokenCount: inputTokens + outputTokens,
    ...(cached === undefined || cached === 0 ? {} : { cachedContentTokenCount: cached }),
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    ...(details.length === 0 ? {} : { promptTokensDetails: details }),
  }
}
