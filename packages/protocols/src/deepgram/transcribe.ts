import {
  type Fields,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  someText,
  type TranscribeRequest,
  textOf,
} from '@sluice/contract'
import { applyDecisions } from '../decisions.ts'
import { reportUnsupported } from '../report-unsupported.ts'
import type { Codec, CodecContext } from '../protocol.ts'
import { type Heard, renderTranscript, type SpokenWord } from '../rendered-transcript.ts'
import { guidedTranscribe } from '../usual-decisions.ts'

/** `POST /v1/listen`: the audio is the body, everything else is in the query. */
export const transcribe: Codec<'transcribe'> = {
  encode(request, context) {
    refuse(request, context)
    const { file } = request
    return {
      method: 'POST',
      path: `/v1/listen?${queryOf(request, context).toString()}`,
      body: { kind: 'bytes', contentType: file.contentType, bytes: file.bytes },
    }
  },
  decode(received, _context, request) {
    const body = objectOf(received.json())
    const [channel] = listOf(objectOf(body['results'])['channels'])
    const [alternative] = listOf(objectOf(channel)['alternatives'])
    if (!isObject(alternative))
      throw new GatewayError('upstream_garbled', 'Deepgram answered without a transcript')
    return renderTranscript(heardOf(body, objectOf(channel), alternative), request)
  },
}

function refuse(request: TranscribeRequest, context: CodecContext): void {
  reportUnsupported('prompt', request.prompt, context, 'Deepgram takes keywords instead')
  if (request.temperature != null && request.temperature !== 0) context.leftOut('temperature')
  applyDecisions('transcribe', request, guidedTranscribe, context)
}

function queryOf(request: TranscribeRequest, { model }: CodecContext): URLSearchParams {
  const query = new URLSearchParams({ model, smart_format: 'true', utterances: 'true' })
  const [language, ...more] =
    request.language == null ? (request.languages ?? []) : [request.language]
  if (language === undefined) query.set('detect_language', 'true')
  else query.set('language', more.length > 0 ? 'multi' : language)
  if (request.response_format === 'diarized_json') query.set('diarize', 'true')
  for (const word of request.keywords ?? []) query.append('keyterm', word)
  return query
}

function heardOf(body: Fields, channel: Fields, alternative: Fields): Heard {
  const { duration } = objectOf(body['metadata'])
  const cues = listOf(objectOf(body['results'])['utterances']).flatMap((utterance) => {
    const { transcript, start, end, speaker } = objectOf(utterance)
    if (typeof start !== 'number' || typeof end !== 'number') return []
    return [{ start, end, text: textOf(transcript), speaker: speakerOf(speaker) }]
  })
  return {
    text: textOf(alternative['transcript']),
    language: someText(channel['detected_language']),
    duration: typeof duration === 'number' ? duration : undefined,
    words: listOf(alternative['words']).flatMap(wordOf),
    ...(cues.length > 0 ? { cues } : {}),
  }
}

function wordOf(word: unknown): readonly SpokenWord[] {
  const fields = objectOf(word)
  const { start, end } = fields
  if (typeof start !== 'number' || typeof end !== 'number') return []
  const text = someText(fields['punctuated_word']) ?? textOf(fields['word'])
  return [{ word: text, start, end, speaker: speakerOf(fields['speaker']) }]
}

/** Speakers are numbered from 0; OpenAI uses letters. */
function speakerOf(speaker: unknown): string | undefined {
  return typeof speaker === 'number' ? String.fromCodePoint(65 + (speaker % 26)) : undefined
}
