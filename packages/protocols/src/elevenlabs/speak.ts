import { GatewayError, type SpeakRequest } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import { jsonRequest } from '../json-request.ts'
import { missingParameter } from '../missing-parameter.ts'
import type { Codec, CodecContext } from '../protocol.ts'

/** ElevenLabs' names of OpenAI's formats: codec, sampling rate and, where it has one, bit rate. */
const formats: Readonly<Record<string, string>> = {
  mp3: 'mp3_44100_128',
  opus: 'opus_48000_64',
  wav: 'wav_44100',
  pcm: 'pcm_24000',
  ulaw: 'ulaw_8000',
  mulaw: 'ulaw_8000',
  alaw: 'alaw_8000',
}

/** ElevenLabs' limits for the speed. */
const speedMin = 0.7
const speedMax = 1.2

const decisions: Decisions<'speak'> = {
  model: 'sent',
  input: 'sent',
  voice: 'sent',
  instructions: 'refused',
  response_format: 'sent',
  speed: 'sent',
  stream_format: 'gateway',
}

/** `POST /v1/text-to-speech/{voice}`. A voice is named by its id. */
export const speak: Codec<'speak'> = {
  encode(request, context) {
    applyDecisions('speak', request, decisions, context)
    const voice = typeof request.voice === 'object' ? request.voice?.id : request.voice
    if (voice == null) throw missingParameter('voice')
    const format = formats[request.response_format ?? 'mp3']
    if (format === undefined) context.unsupported('response_format')
    const query = format === undefined ? '' : `?output_format=${format}`
    return jsonRequest(`/v1/text-to-speech/${encodeURIComponent(voice)}${query}`, {
      text: request.input,
      model_id: context.model,
      ...speedOf(request, context),
    })
  },
  decode() {
    throw new GatewayError('upstream_garbled', 'ElevenLabs answered with JSON instead of sound')
  },
  bytes: true,
}

function speedOf({ speed }: SpeakRequest, context: CodecContext): object {
  if (speed == null || speed === 1) return {}
  if (speed < speedMin || speed > speedMax) {
    context.unsupported('speed', `ElevenLabs takes ${speedMin} to ${speedMax}`)
    return {}
  }
  return { voice_settings: { speed } }
}
