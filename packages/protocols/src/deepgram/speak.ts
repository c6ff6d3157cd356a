import { GatewayError, type SpeakRequest } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import type { Codec, CodecContext } from '../protocol.ts'

/** Deepgram's words for OpenAI's formats: an encoding, and for some a container around it. */
const formats: Readonly<Record<NonNullable<SpeakRequest['response_format']>, string>> = {
  mp3: 'encoding=mp3',
  opus: 'encoding=opus&container=ogg',
  aac: 'encoding=aac',
  flac: 'encoding=flac',
  wav: 'encoding=linear16&container=wav',
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
    return {
      method: 'POST',
      path: `/v1/speak?model=${model}&${formats[request.response_format ?? 'mp3']}`,
      body: { kind: 'json', value: { text: request.input } },
    }
  },
  decode() {
    throw new GatewayError('upstream_garbled', 'Deepgram answered with JSON instead of sound')
  },
  bytes: true,
}

/** A whole model name stands for its voice; to a family's name the voice is added, English unless it says otherwise. */
function modelOf({ voice }: SpeakRequest, { model }: CodecContext): string {
  const named = typeof voice === 'object' ? voice?.id : voice
  if (named == null || /^aura(-2)?-[a-z]+-[a-z]{2}$/.test(model)) return model
  if (named.startsWith('aura')) return named
  return /-[a-z]{2}$/.test(named) ? `${model}-${named}` : `${model}-${named}-en`
}
