import {
  type AnswerMessage,
  type ChoiceLogprobs,
  type Fields,
  formatDataUrl,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  type ThinkingBlock,
  type TokenLogprob,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { TextPlaces } from '../../text-places.ts'
import { unreadContent } from '../../unread-content.ts'
import { camelCase, memberOf } from '../part-members.ts'
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
  const data = part['inlineData'] ?? part['inline_data']
  if (!isObject(data)) return undefined
  const mimeType = someText(data['mimeType'] ?? data['mime_type'])
  const base64 = someText(data['data'])
  return mimeType === undefined || base64 === undefined ? undefined : { mimeType, base64 }
}

function joinBase64(pieces: readonly string[]): string {
  const [first = ''] = pieces
  if (pieces.length <= 1) return first
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64')
}

/** Whether a caller would see anything of these parts. */
export function hasContent(candidate: Fields): boolean {
  return listOf(objectOf(candidate['content'])['parts'])
    .filter(isObject)
    .some((part) =>
      Object.entries(part).some(
        ([name, content]) =>
          memberOf(camelCase(name)) !== 'about' && content !== null && content !== '',
      ),
    )
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
