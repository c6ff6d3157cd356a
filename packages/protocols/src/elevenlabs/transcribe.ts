import {
  type Fields,
  GatewayError,
  listOf,
  objectOf,
  someText,
  textOf,
  type TranscribeRequest,
} from '@sluice/contract'
import { applyDecisions } from '../decisions.ts'
import { reportUnsupported } from '../report-unsupported.ts'
import type { Codec, CodecContext, FormPart } from '../protocol.ts'
import { type Heard, renderTranscript, type SpokenWord } from '../rendered-transcript.ts'
import { guidedTranscribe } from '../usual-decisions.ts'

/** `POST /v1/speech-to-text` as a form (Scribe). */
export const transcribe: Codec<'transcribe'> = {
  encode(request, context) {
    refuse(request, context)
    const parts: FormPart[] = [
      { name: 'model_id', value: context.model },
      { name: 'file', file: request.file },
      { name: 'timestamps_granularity', value: 'word' },
    ]
    const language =
      request.language ?? (request.languages?.length === 1 ? request.languages[0] : null)
    if (language != null) parts.push({ name: 'language_code', value: language })
    if (request.temperature != null)
      parts.push({ name: 'temperature', value: String(request.temperature) })
    if (request.response_format === 'diarized_json') parts.push({ name: 'diarize', value: 'true' })
    for (const word of request.keywords ?? []) parts.push({ name: 'keyterms', value: word })
    return { method: 'POST', path: '/v1/speech-to-text', body: { kind: 'form', parts } }
  },
  decode(received, _context, request) {
    const body = objectOf(received.json())
    if (typeof body['text'] !== 'string')
      throw new GatewayError('upstream_garbled', 'ElevenLabs answered without a transcript')
    return renderTranscript(heardOf(body), request)
  },
}

function refuse(request: TranscribeRequest, context: CodecContext): void {
  reportUnsupported('prompt', request.prompt, context, 'ElevenLabs takes keywords instead')
  applyDecisions('transcribe', request, guidedTranscribe, context)
  if ((request.languages?.length ?? 0) > 1) context.unsupported('languages')
}

function heardOf(body: Fields): Heard {
  const words = listOf(body['words']).flatMap(wordOf)
  const { audio_duration_secs: duration } = body
  return {
    text: textOf(body['text']),
    language: someText(body['language_code']),
    duration: typeof duration === 'number' ? duration : words.at(-1)?.end,
    words,
  }
}

/** Spaces between words are entries of their own, and so are sounds such as (laughter). */
function wordOf(word: unknown): readonly SpokenWord[] {
  const { text, start, end, type, speaker_id: speaker } = objectOf(word)
  if (type === 'spacing' || typeof start !== 'number' || typeof end !== 'number') return []
  return [{ word: textOf(text), start, end, speaker: someText(speaker) }]
}
