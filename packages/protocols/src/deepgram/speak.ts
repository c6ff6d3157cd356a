import { GatewayError, type SpeakRequest } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import { jsonRequest } from '../json-request.ts'
import type { Codec, CodecContext } from '../protocol.ts'

/** Deepgram's words for OpenAI's formats: an encoding, and for some a container around it. */
const formats: Readonly<Record<string, string>> = {
  mp3: 'encoding=mp3',
  opus: 'encoding=opus&container=ogg',
  aac: 'encoding=aac',
  flac: 'encoding=flac',
  wav: 'encoding=linear16&container=wav',
  mulaw: 'encoding=mulaw&container=wav',
  ulaw: 'encoding=mulaw&container=wav',
  alaw: 'encoding=alaw&container=wav',
  pcm: 'encoding=linear16&container=none&sample_rate=24000',
}

const decisions: Decisions<'speak'> = {
  model: 'sent',
  input: 'sent',
  voice: 'sent',
  instructions: 'refused',
  response_format: 'sent',
  speed: 'refused',
  stream_format: 'gateway',
}

/** `POST /v1/speak`. The voice is part of the model's name: `aura-2` with the voice `thalia` is `aura-2-thalia-en`. */
export const speak: Codec<'speak'> = {
  encode(request, context) {
    applyDecisions('speak', request, decisions, context)
    const model = encodeURIComponent(modelOf(request, context))
    const format = formats[request.response_format ?? 'mp3']
    if (format === undefined) context.unsupported('response_format')
    const path = `/v1/speak?model=${model}&${format ?? 'encoding=mp3'}`
    return jsonRequest(path, { text: request.input })
  },
  decode() {
    throw new GatewayError('upstream_garbled', 'Deepgram answered with JSON instead of sound')
  },
  bytes: true,
}

/**
 * A complete model name already contains its voice. Otherwise the voice is added to the name; it is English unless it names a
 * language.
 */
function modelOf({ voice }: SpeakRequest, { model }: CodecContext): string {
  const named = typeof voice === 'object' ? voice?.id : voice
  if (named == null || /^aura(-2)?-[a-z]+-[a-z]{2}$/.test(model)) return model
  if (named.startsWith('aura')) return named
  return /-[a-z]{2}$/.test(named) ? `${model}-${named}` : `${model}-${named}-en`
}
