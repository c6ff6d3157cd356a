import {
  GatewayError,
  isObject,
  listOf,
  type TranscribeRequest,
  type TranslateRequest,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import type { Codec, CodecContext, Decoded, Received } from '../../protocol.ts'
import { renderTranscript } from '../../rendered-transcript.ts'
import { guidedTranscribe } from '../../usual-decisions.ts'
import { failureOf } from '../finish-reasons.ts'
import { readUsage } from '../usage.ts'
import { type AddressOf, callModel } from './address.ts'
import { readParts } from './candidate.ts'
import { bodyOf } from './failure.ts'

/**
 * Transcription through generateContent: the model gets the file and is asked for the spoken words (Gemini API, audio guide).
 * It returns no times, so only the response formats without times are available.
 */
export function geminiTranscribe(address: AddressOf): Codec<'transcribe'> {
  return listening(address, transcribing)
}

/** The same, translated into English. */
export function geminiTranslate(address: AddressOf): Codec<'translate'> {
  return listening(address, translating)
}

function listening<R extends TranscribeRequest | TranslateRequest>(
  address: AddressOf,
  promptOf: (request: R, context: CodecContext) => string,
) {
  return {
    encode(request: R, context: CodecContext) {
      const body = listenBody(request, promptOf(request, context), context)
      return callModel(address, 'generateContent', body, context)
    },
    decode: heard,
  }
}

const onlyWords = 'Answer with nothing else.'

function transcribing(request: TranscribeRequest, context: CodecContext): string {
  applyDecisions('transcribe', request, guidedTranscribe, context)
  const languages = request.language == null ? request.languages : [request.language]
  return [
    'Write down word for word what is said in this recording, in the language it is said in.',
    ...(languages?.length ? [`The language is ${languages.join(' or ')} (ISO 639-1).`] : []),
    ...(request.keywords?.length ? [`These words may occur: ${request.keywords.join(', ')}.`] : []),
    ...before(request.prompt),
    onlyWords,
  ].join(' ')
}

const translateDecisions: Decisions<'translate'> = {
  file: 'sent',
  model: 'sent',
  prompt: 'sent',
  response_format: 'sent',
  temperature: 'sent',
}

function translating(request: TranslateRequest, context: CodecContext): string {
  applyDecisions('translate', request, translateDecisions, context)
  return [
    'Write down in English, as a translation, what is said in this recording.',
    ...before(request.prompt),
    onlyWords,
  ].join(' ')
}

/** OpenAI's prompt is the text that was spoken before, as a model for style and spelling. */
function before(prompt: string | null | undefined): readonly string[] {
  return prompt == null || prompt === '' ? [] : [`Before it was said: ${JSON.stringify(prompt)}.`]
}

function listenBody(
  request: TranscribeRequest | TranslateRequest,
  text: string,
  context: CodecContext,
): unknown {
  const { file, temperature, response_format: format } = request
  if (format != null && format !== 'json' && format !== 'text')
    context.unsupported('response_format', 'the model gives no times')
  const mimeType = file.contentType === 'audio/mpeg' ? 'audio/mp3' : file.contentType
  const data = Buffer.from(file.bytes).toString('base64')
  return {
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data } }, { text }] }],
    ...(temperature == null ? {} : { generationConfig: { temperature } }),
  }
}

function heard(
  received: Received,
  _context: CodecContext,
  { file, model, response_format: format }: TranscribeRequest | TranslateRequest,
): Decoded<'transcribe'> {
  const body = bodyOf(received)
  const [candidate] = listOf(body['candidates']).filter(isObject)
  if (candidate === undefined)
    throw new GatewayError('upstream_garbled', 'The upstream sent no transcript')
  const failure = failureOf(candidate)
  if (failure !== undefined) throw failure
  const text = readParts(candidate).text.trim()
  const usage = readUsage(body['usageMetadata'])
  const form = format === 'text' ? 'text' : 'json'
  return {
    ...renderTranscript({ text, words: [] }, { file, model, response_format: form }),
    ...(usage === undefined ? {} : { usage }),
  }
}
