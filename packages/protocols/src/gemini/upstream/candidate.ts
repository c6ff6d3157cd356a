import { unreadContent } from '../../server-tools.ts'
import {
  type AnswerMessage,
  type ChoiceLogprobs,
  type Fields,
  formatDataUrl,
  isObject,
  listOf,
  objectOf,
  type ServerSentEvent,
  type ServerToolCall,
  someText,
  textOf,
  type ThinkingBlock,
  type TokenLogprob,
  type ToolCall,
  wavHeader,
} from '@sluice/contract'
import { eventJson } from '../../read-json.ts'
import { TextPlaces } from '../../text-places.ts'
import { memberOf } from '../part-members.ts'
import { camelCase } from '../letter-case.ts'
import { pick } from '../spelling.ts'
import type { FunctionCalls } from './function-calls.ts'

/** The content of a candidate's parts, of a whole response or of one fragment of a stream. */
export interface CandidateParts {
  readonly text: string
  /** The places where text continues after calls within these parts. */
  readonly textPlaces: TextPlaces
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
  /** Signatures of parts that are not calls. */
  readonly blocks: readonly ThinkingBlock[]
  readonly images: NonNullable<AnswerMessage['images']>
  readonly audio: { readonly mimeType: string; readonly base64: string } | undefined
  /** Content of other kinds. */
  readonly unread: readonly ServerToolCall[]
}

/** The kinds of parts that are read here or by `ServerTools`. Of `inlineData`, images and audio are. */
const readKinds: ReadonlySet<string> = new Set([
  'text',
  'functionCall',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
])

/** Without a reader for calls, no calls are read. */
export function readParts(candidate: Fields, calls?: FunctionCalls): CandidateParts {
  const parts = listOf(objectOf(candidate['content'])['parts']).filter(isObject)
  const sounds = parts.map(inlineData).filter((data) => data?.mimeType.startsWith('audio/'))
  const [sound] = sounds
  return {
    ...spokenIn(parts, calls),
    reasoning: parts
      .filter((part) => part['thought'] === true)
      .map((part) => textOf(part['text']))
      .join(''),
    blocks: parts.flatMap((part) => {
      const signature = someText(part['thoughtSignature'])
      return signature === undefined || isObject(part['functionCall'])
        ? []
        : [{ type: 'thought' as const, signature }]
    }),
    images: parts.flatMap((part) => {
      const data = inlineData(part)
      return data?.mimeType.startsWith('image/') === true && part['thought'] !== true
        ? [
            {
              type: 'image_url' as const,
              image_url: { url: formatDataUrl(data.mimeType, data.base64) },
            },
          ]
        : []
    }),
    audio: sound && { ...sound, base64: joinBase64(sounds.map((each) => each?.base64 ?? '')) },
    unread: parts.flatMap(unreadIn),
  }
}

/** The text of a candidate that holds nothing else to read, as most fragments of a stream do; otherwise undefined. */
export function onlyText(candidate: Fields): string | undefined {
  const { content, logprobsResult, groundingMetadata, citationMetadata, urlContextMetadata } =
    candidate
  const parts = listOf(objectOf(content)['parts'])
  const further = logprobsResult ?? groundingMetadata ?? citationMetadata ?? urlContextMetadata
  if (parts.length !== 1 || further != null) return undefined
  const part = objectOf(parts[0])
  for (const name in part) if (name !== 'text') return undefined
  return someText(part['text'])
}

function unreadIn(part: Fields): readonly ServerToolCall[] {
  const media = inlineData(part)
  const isMedia = media !== undefined && /^(?:image|audio)\//.test(media.mimeType)
  return Object.entries(part)
    .filter(([name, content]) => {
      const kind = camelCase(name)
      if (memberOf(kind) === 'about' || readKinds.has(kind)) return false
      return content !== null && !(kind === 'inlineData' && isMedia)
    })
    .map(([name, content]) => unreadContent(camelCase(name), content))
}

/** Texts and calls, which may alternate. */
function spokenIn(
  parts: readonly Fields[],
  functions: FunctionCalls | undefined,
): Pick<CandidateParts, 'calls' | 'text' | 'textPlaces'> {
  const calls: ToolCall[] = []
  const textPlaces = new TextPlaces()
  let text = ''
  for (const part of parts) {
    const words = part['thought'] === true ? '' : textOf(part['text'])
    if (words !== '') textPlaces.note(text.length, calls.length)
    text += words
    calls.push(...(functions?.read(part) ?? []))
  }
  return { text, textPlaces, calls }
}

function inlineData(part: Fields): { mimeType: string; base64: string } | undefined {
  const data = pick(part, 'inlineData')
  if (!isObject(data)) return undefined
  const mimeType = someText(pick(data, 'mimeType'))
  const base64 = someText(data['data'])
  return mimeType === undefined || base64 === undefined ? undefined : { mimeType, base64 }
}

function joinBase64(pieces: readonly string[]): string {
  const [first = ''] = pieces
  if (pieces.length <= 1) return first
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64')
}

/**
 * One fragment of a stream as an object; undefined for anything else. Errors are sometimes wrapped in an array, so an array is
 * read as its first element.
 */
export function fragmentOf(event: ServerSentEvent): Fields | undefined {
  const value = eventJson(event)
  if (Array.isArray(value)) return objectOf(value[0])
  return isObject(value) ? value : undefined
}

/** Whether a caller would see anything of these parts. */
export function hasContent(candidate: Fields): boolean {
  for (const part of listOf(objectOf(candidate['content'])['parts']))
    if (isObject(part) && isSeen(part)) return true
  return false
}

function isSeen(part: Fields): boolean {
  for (const name in part) {
    const content = part[name]
    if (content !== null && content !== '' && memberOf(camelCase(name)) !== 'about') return true
  }
  return false
}

/** LogprobsResult as the logprobs of a chat completion; null if there are none. */
export function readLogprobs(candidate: Fields): ChoiceLogprobs | null {
  const result = objectOf(candidate['logprobsResult'])
  const chosen = listOf(result['chosenCandidates']).map(objectOf)
  if (chosen.length === 0) return null
  const tops = listOf(result['topCandidates']).map(objectOf)
  return {
    content: chosen.map((one, index) => ({
      ...tokenLogprob(one),
      top_logprobs: listOf(tops[index]?.['candidates']).map((top) => tokenLogprob(objectOf(top))),
    })),
    refusal: null,
  }
}

/** In chat completions, impossible tokens have the logprob -9999. */
function tokenLogprob(one: Fields): TokenLogprob {
  const token = textOf(one['token'])
  const logprob = one['logProbability']
  return {
    token,
    logprob: typeof logprob === 'number' ? logprob : -9999,
    bytes: [...Buffer.from(token)],
  }
}

/** The sampling rate of Gemini's speech models, unless their MIME type gives another, in hertz. */
const usualRate = 24_000

/**
 * Turns mono 16-bit samples into a WAV file, both in base64. The rate is in the MIME type, such as
 * `audio/L16;codec=pcm;rate=24000`. A WAV file is returned unchanged.
 */
export function wavOfSamples(base64: string, mimeType: string): string {
  if (mimeType.startsWith('audio/wav')) return base64
  const samples = Buffer.from(base64, 'base64')
  const rate = Number(/rate=(\d+)/.exec(mimeType)?.[1] ?? usualRate)
  return Buffer.concat([wavHeader(samples.length, rate), samples]).toString('base64')
}
