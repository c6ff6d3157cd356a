import {
  type ChatRequest,
  type Fields,
  invalidRequest,
  isObject,
  listOf,
  type Message,
  objectOf,
  someText,
} from '@sluice/contract'
import { enumFormat, isEnum } from './enum-answer.ts'
import { refuse } from './refuse.ts'
import { pick } from '../spelling.ts'
import { toJsonSchema } from './json-schema.ts'
import { detailOf } from './media.ts'

/** The canonical fields of a generationConfig. `path` is its place in the client's request. */
export function configOf(config: Fields, path: string): Partial<ChatRequest> {
  const imageConfig = pick(config, 'imageConfig')
  if (isObject(imageConfig) && Object.keys(imageConfig).length > 0) refuse(`${path}.imageConfig`)
  for (const name of ['audioTimestamp', 'enableEnhancedCivicAnswers'])
    if (pick(config, name) === true) refuse(`${path}.${name}`)
  return {
    ...plainFields(config),
    ...stopOf(config),
    ...logprobsOf(config, path),
    ...formatOf(config, path),
    ...thinkingOf(config),
    ...modalitiesOf(config, path),
  }
}

/** Fields of a generationConfig that differ from the canonical ones only in their name. */
export const configNames: readonly (readonly [string, keyof ChatRequest])[] = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['candidateCount', 'n'],
  ['maxOutputTokens', 'max_completion_tokens'],
  ['seed', 'seed'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
]

/**
 * The client format's schema has checked their types, which equal the canonical ones; the canonical schema checks them again.
 */
function plainFields(config: Fields): Partial<ChatRequest> {
  const found = configNames.flatMap(([own, canonical]) => {
    const value = pick(config, own)
    return value === undefined ? [] : [[canonical, value] as const]
  })
  return Object.fromEntries(found) as Partial<ChatRequest>
}

function stopOf(config: Fields): Partial<ChatRequest> {
  const stop = listOf(pick(config, 'stopSequences')).filter((each) => typeof each === 'string')
  return stop.length === 0 ? {} : { stop }
}

function logprobsOf(config: Fields, path: string): Partial<ChatRequest> {
  const top = pick(config, 'logprobs')
  if (pick(config, 'responseLogprobs') !== true) {
    if (typeof top === 'number' && top > 0)
      throw invalidRequest('logprobs needs responseLogprobs to be true', `${path}.logprobs`)
    return {}
  }
  return { logprobs: true, ...(typeof top === 'number' ? { top_logprobs: top } : {}) }
}

function formatOf(config: Fields, path: string): Partial<ChatRequest> {
  const type = someText(pick(config, 'responseMimeType'))
  const own = pick(config, 'responseSchema')
  const plain = pick(config, 'responseJsonSchema')
  const schema = isObject(plain) ? plain : isObject(own) ? toJsonSchema(own) : undefined
  const param = `${path}.${isObject(plain) ? 'responseJsonSchema' : 'responseSchema'}`
  if (isEnum(config)) return { response_format: enumFormat(schema, param) }
  if (type !== 'application/json') {
    if (schema === undefined) return {}
    throw invalidRequest('A response schema needs responseMimeType application/json', param)
  }
  if (schema === undefined) return { response_format: { type: 'json_object' } }
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'response', schema } },
  }
}

function thinkingOf(config: Fields): Partial<ChatRequest> {
  const thinking = objectOf(pick(config, 'thinkingConfig'))
  const budget = pick(thinking, 'thinkingBudget')
  if (typeof budget === 'number') return { thinking_budget: budget }
  const level = someText(pick(thinking, 'thinkingLevel'))?.toLowerCase()
  switch (level) {
    case 'minimal':
    case 'low':
    case 'medium':
    case 'high':
      return { reasoning_effort: level }
    default:
      return {}
  }
}

/** Whether the caller wants the model's thoughts; otherwise Gemini does not return them. */
export function wantsThoughts(request: unknown): boolean {
  const config = objectOf(pick(objectOf(request), 'generationConfig'))
  return pick(objectOf(pick(config, 'thinkingConfig')), 'includeThoughts') === true
}

function modalitiesOf(config: Fields, path: string): Partial<ChatRequest> {
  const kinds = listOf(pick(config, 'responseModalities')).map((kind) => String(kind).toLowerCase())
  const voice = voiceOf(pick(config, 'speechConfig'), `${path}.speechConfig`)
  if (kinds.includes('image')) return { modalities: ['text', 'image'] }
  if (!kinds.includes('audio')) return {}
  return {
    modalities: kinds.includes('text') ? ['text', 'audio'] : ['audio'],
    audio: { ...(voice === undefined ? {} : { voice }), format: 'pcm16' },
  }
}

function voiceOf(speech: unknown, path: string): string | undefined {
  if (!isObject(speech)) return undefined
  for (const name of ['multiSpeakerVoiceConfig', 'languageCode'])
    if (pick(speech, name) !== undefined) refuse(`${path}.${name}`)
  const prebuilt = objectOf(pick(objectOf(pick(speech, 'voiceConfig')), 'prebuiltVoiceConfig'))
  return someText(pick(prebuilt, 'voiceName'))
}

/** Applies the request's resolution to every image as its detail, except images that have one of their own. */
export function withResolution(
  messages: readonly Message[],
  config: Fields,
  path: string,
): readonly Message[] {
  const detail = detailOf(pick(config, 'mediaResolution'), `${path}.mediaResolution`)
  if (detail === undefined) return messages
  return messages.map((message) =>
    Array.isArray(message.content)
      ? {
          ...message,
          content: message.content.map((part) =>
            part.image_url === undefined
              ? part
              : { ...part, image_url: { detail, ...part.image_url } },
          ),
        }
      : message,
  )
}
