import { isObject } from '@sluice/contract'
import type { Measured, MediaKind } from '@sluice/protocols/measure.ts'
import type { Call } from '../call/call.ts'

/** Assumed sizes, in tokens, of what cannot be counted before the upstream reports usage. */
export interface Estimates {
  /** Of a response without an output limit, for a model whose output length is unknown. */
  readonly outputTokens: number
  readonly imageTokens: number
  /** Of a file that is referenced and not sent inline. */
  readonly fileTokens: number
  /** Of earlier conversation stored at a provider. */
  readonly historyTokens: number
}

export const usualEstimates: Estimates = {
  outputTokens: 1_024,
  imageTokens: 2_000,
  fileTokens: 10_000,
  historyTokens: 10_000,
}

/** What a request holds. */
export interface InputSize {
  /** Bytes of everything but media: texts, names, numbers and what is between them. */
  readonly textBytes: number
  readonly images: number
  /** Bytes of media in the request, once decoded. */
  readonly audioBytes: number
  readonly videoBytes: number
  readonly documentBytes: number
  /** Paths of what is not in the request. */
  readonly references: readonly string[]
  /** Tokens of the stored conversation that it continues; undefined if it continues none, or its size is unknown. */
  readonly history: number | undefined
}

/** `history` are the tokens of the response that a call continues, if that is stored here. */
export function inputSizeOf(
  call: Call,
  { media, references }: Measured,
  history?: number,
): InputSize {
  const characters = { image: 0, audio: 0, video: 0, document: 0 }
  for (const one of media) characters[one.kind] += one.characters
  const sum = characters.image + characters.audio + characters.video + characters.document
  return {
    textBytes: Math.max(0, bytesOf(call) - sum),
    images: media.filter(({ kind }) => kind === 'image').length,
    audioBytes: decoded(characters.audio),
    videoBytes: decoded(characters.video),
    documentBytes: decoded(characters.document),
    references:
      history === undefined
        ? references
        : references.filter((path) => path !== call.format.continues && path !== 'conversation'),
    history,
  }
}

function decoded(characters: number): number {
  return Math.ceil((characters * 3) / 4)
}

/** The size of a request without the bytes of its uploads. */
function bytesOf({ request }: Call): number {
  return request.bytes ?? textBytesIn(request.outline)
}

function textBytesIn(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2
  if (value instanceof Uint8Array) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + textBytesIn(one), 2)
  if (!isObject(value)) return String(value).length
  let sum = 2
  for (const name in value) sum += Buffer.byteLength(name) + 4 + textBytesIn(value[name])
  return sum
}

const bytesPerToken = 4
/** 32 tokens per second at the lowest common speech bitrate. */
const bytesPerAudioToken = 125
/** 300 tokens per second at about one megabit per second. */
const bytesPerVideoToken = 400
const bytesPerDocumentToken = 10

/** Estimates the usual number of input tokens. */
export function estimatedInput(size: InputSize, estimates: Estimates): number {
  const { references, history } = size
  const kept = references.filter((path) => isConversation(path)).length
  return Math.ceil(
    size.textBytes / bytesPerToken +
      size.images * estimates.imageTokens +
      size.audioBytes / bytesPerAudioToken +
      size.videoBytes / bytesPerVideoToken +
      size.documentBytes / bytesPerDocumentToken +
      kept * estimates.historyTokens +
      (references.length - kept) * estimates.fileTokens +
      (history ?? 0),
  )
}

/** A reference at the top of a request is to a stored conversation, prompt or cache; those inside its messages are to files. */
function isConversation(path: string): boolean {
  return !path.includes('[')
}

/** What providers count for an image of a megapixel is between 258 (Gemini) and 1,400 tokens (Claude). */
const usualImageTokens = 1_000

/** Estimates the usual number of tokens of the media in a request. */
export function mediaTokensOf({ media }: Pick<Measured, 'media'>): number {
  return Math.ceil(
    media.reduce((sum, { kind, characters }) => sum + usualTokens(kind, decoded(characters)), 0),
  )
}

function usualTokens(kind: MediaKind, bytes: number): number {
  if (kind === 'image') return usualImageTokens
  if (kind === 'audio') return bytes / bytesPerAudioToken
  if (kind === 'video') return bytes / bytesPerVideoToken
  return bytes / bytesPerDocumentToken
}

const mediaLengthMin = 1_000

/** Whether a string is inline media: a data URL, or base64 too long to be a word. */
export function isMedia(text: string): boolean {
  if (text.startsWith('data:')) return true
  return text.length >= mediaLengthMin && /^[\w+/=-]+$/.test(text.slice(0, mediaLengthMin))
}
