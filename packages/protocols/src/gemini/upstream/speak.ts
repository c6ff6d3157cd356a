import { GatewayError, isObject, listOf, type SpeakRequest } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import type { Codec, CodecContext, Decoded, Received } from '../../protocol.ts'
import { failureOf, blockReasonOf } from '../finish-reasons.ts'
import { readUsage } from '../usage.ts'
import { type AddressOf, callModel } from './address.ts'
import { readParts, wavOfSamples } from './candidate.ts'
import { bodyOf } from './failure.ts'
import { speechConfig } from './generation-config.ts'

const decisions: Decisions<'speak'> = {
  model: 'sent',
  input: 'sent',
  voice: 'sent',
  instructions: 'sent',
  response_format: 'sent',
  speed: 'refused',
  stream_format: 'gateway',
}

/**
 * Speech through generateContent (Gemini API, speech generation guide). The audio comes inline as 16-bit samples at 24,000 Hz,
 * which OpenAI calls pcm; a header turns it into wav. The instructions are written before the text.
 */
export function geminiSpeak(address: AddressOf): Codec<'speak'> {
  return {
    encode: (request, context) =>
      callModel(address, 'generateContent', speakBody(request, context), context),
    decode: decodeSpeech,
    bytes: true,
  }
}

function speakBody(request: SpeakRequest, context: CodecContext): unknown {
  applyDecisions('speak', request, decisions, context)
  const { input, instructions, voice, response_format: format } = request
  if (format != null && format !== 'wav' && format !== 'pcm')
    context.unsupported('response_format', 'the model speaks wav and pcm')
  const name = typeof voice === 'object' ? voice?.id : voice
  const text = instructions == null || instructions === '' ? input : `${instructions}: ${input}`
  return {
    contents: [{ role: 'user', parts: [{ text }] }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      ...(name == null ? {} : { speechConfig: speechConfig(name) }),
    },
  }
}

function decodeSpeech(
  received: Received,
  _context: CodecContext,
  { response_format: format }: SpeakRequest,
): Decoded<'speak'> {
  const body = bodyOf(received)
  const candidates = listOf(body['candidates']).filter(isObject)
  const failure = candidates.map(failureOf).find((each) => each !== undefined)
  if (failure !== undefined) throw failure
  const sound = candidates.map((each) => readParts(each).audio).find(Boolean)
  if (sound === undefined) {
    if (blockReasonOf(body) === undefined)
      throw new GatewayError('upstream_garbled', 'The upstream sent an answer without sound')
    throw new GatewayError('content_blocked', 'The model refused to say this')
  }
  const isPcm = format === 'pcm'
  const base64 = isPcm ? sound.base64 : wavOfSamples(sound.base64, sound.mimeType)
  const usage = readUsage(body['usageMetadata'])
  return {
    // The operation has no JSON form, so there is no reply to return.
    reply: undefined as never,
    rendered: {
      contentType: isPcm ? 'audio/pcm' : 'audio/wav',
      bytes: Buffer.from(base64, 'base64'),
    },
    ...(usage === undefined ? {} : { usage }),
  }
}
