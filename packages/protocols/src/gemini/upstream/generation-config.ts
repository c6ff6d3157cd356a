import type { ChatRequest, Fields } from '@sluice/contract'
import { asksFor } from '../../decisions.ts'
import { reportUnsupported } from '../../report-unsupported.ts'
import { generationOf, speaksOnly, takesJsonSchema, takesPenalties } from '../../families/gemini.ts'
import type { CodecContext } from '../../protocol.ts'
import { toGeminiSchema } from './schema.ts'
import { thinkingConfig } from './thinking.ts'

/** Gemini's maximum number of candidates for one prompt. */
const candidatesMax = 8

/** https://ai.google.dev/api/generate-content#GenerationConfig. Undefined if everything is left at the model's defaults. */
export function generationConfig(request: ChatRequest, context: CodecContext): Fields | undefined {
  const thinking = thinkingConfig(request, context)
  const config: Fields = {
    ...samplingOf(request, context),
    ...logprobsOf(request),
    ...formatOf(request, context),
    ...modalitiesOf(request, context),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
  }
  return Object.keys(config).length === 0 ? undefined : config
}

function samplingOf(request: ChatRequest, context: CodecContext): Fields {
  const { n, presence_penalty: presence, frequency_penalty: frequency } = request
  const { max_completion_tokens: most, stop: stops } = request
  if (n != null && n > candidatesMax) context.unsupported('n', `at most ${candidatesMax}`)
  const hasPenalties = takesPenalties(context.family)
  if (!hasPenalties)
    for (const field of ['presence_penalty', 'frequency_penalty'] as const)
      reportUnsupported(field, request[field], context)
  const candidates = n != null && n > 1 && n <= candidatesMax
  return {
    ...(request.temperature == null ? {} : { temperature: request.temperature }),
    ...(request.top_p == null ? {} : { topP: request.top_p }),
    ...(request.top_k == null || request.top_k === 0 ? {} : { topK: request.top_k }),
    ...(candidates ? { candidateCount: n } : {}),
    ...(most == null ? {} : { maxOutputTokens: most }),
    ...(stops?.length ? { stopSequences: stops } : {}),
    ...(request.seed == null ? {} : { seed: request.seed }),
    ...(hasPenalties && asksFor(request, 'presence_penalty') ? { presencePenalty: presence } : {}),
    ...(hasPenalties && asksFor(request, 'frequency_penalty')
      ? { frequencyPenalty: frequency }
      : {}),
  }
}

function logprobsOf({ logprobs, top_logprobs: top }: ChatRequest): Fields {
  if (logprobs !== true) return {}
  return { responseLogprobs: true, ...(top == null || top === 0 ? {} : { logprobs: top }) }
}

/**
 * Before Gemini 3, JSON output cannot be enforced for a model with tools, neither functions nor Google's own (Gemini API,
 * structured outputs; snailyp/gemini-balance#286). The model is only instructed to write JSON.
 */
export function isOnlyTold(
  { response_format: format, tools, web_search_options: search, server_tools: own }: ChatRequest,
  model: string,
): boolean {
  if (format == null || format.type === 'text' || generationOf(model) >= 3) return false
  return Boolean(tools?.length) || search != null || Boolean(own?.length)
}

function formatOf(request: ChatRequest, context: CodecContext): Fields {
  const { response_format: format } = request
  if (format == null || format.type === 'text') return {}
  if (isOnlyTold(request, context.family)) {
    context.leftOut('response_format', 'beside tools this model is only told of it')
    return {}
  }
  const json = { responseMimeType: 'application/json' }
  if (format.type === 'json_object') return json
  const { schema } = format.json_schema
  return takesJsonSchema(context.family)
    ? { ...json, responseJsonSchema: schema }
    : { ...json, responseSchema: toGeminiSchema(schema, 'response_format.json_schema.schema') }
}

/** Audio comes as 16-bit samples at 24,000 Hz. The gateway can put a WAV header before them, but no other format is possible. */
function modalitiesOf(request: ChatRequest, context: CodecContext): Fields {
  const { modalities, audio } = request
  if (modalities?.includes('audio') !== true) {
    if (audio != null) context.unsupported('audio')
    return modalities?.includes('image') === true ? { responseModalities: upper(modalities) } : {}
  }
  const format = audio?.format
  if (format != null && format !== 'pcm16' && (format !== 'wav' || request.stream === true))
    context.unsupported('audio.format')
  const voice = typeof audio?.voice === 'object' ? audio.voice?.id : audio?.voice
  const kinds = speaksOnly(context.family) ? ['audio'] : modalities
  return {
    responseModalities: upper(kinds),
    ...(voice == null ? {} : { speechConfig: speechConfig(voice) }),
  }
}

function upper(kinds: readonly string[]): readonly string[] {
  return kinds.map((kind) => kind.toUpperCase())
}

export function speechConfig(voice: string): Fields {
  return { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } }
}
