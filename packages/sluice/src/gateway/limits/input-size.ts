import { isObject } from '@sluice/contract'
import { isMedia } from '../attempt/estimate.ts'

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

/** For English text. */
const charactersPerToken = 4
/**
 * Each UTF-8 byte beyond the first of a character counts as this many characters, so that a three-byte character
 * (such as Chinese) counts as one token.
 */
const charactersPerFurtherByte = 1.5
/** 32 tokens per second at the lowest common speech bitrate. */
const bytesPerAudioToken = 125
/** 300 tokens per second at about one megabit per second. */
const bytesPerVideoToken = 400
const bytesPerFileToken = 10

type Kind = 'text' | 'image' | 'audio' | 'video' | 'file'

/** Estimates the input tokens of a request: texts, media and references. */
export function inputTokensOf(request: unknown, estimates: Estimates): number {
  return Math.ceil(tokensIn(request, 'text', estimates))
}

function tokensIn(value: unknown, kind: Kind, estimates: Estimates): number {
  if (typeof value === 'string') return tokensOfText(value, kind, estimates)
  if (value instanceof Uint8Array) return tokensOfMedia(value.length, kind, estimates)
  let tokens = 0
  if (Array.isArray(value))
    // A number in an array is a token id.
    for (const item of value)
      tokens += typeof item === 'number' ? 1 : tokensIn(item, kind, estimates)
  else if (isObject(value)) {
    const own = narrower(kind, kindOfObject(value))
    for (const name in value) {
      const field = value[name]
      const inner = narrower(own, kindOfName(name))
      tokens += referenceNames.has(name)
        ? typeof field === 'string'
          ? tokensOfReference(inner, estimates)
          : 0
        : tokensIn(field, inner, estimates)
    }
  }
  return tokens
}

/** Names of fields that reference a file elsewhere. */
const referenceNames: ReadonlySet<string> = new Set(['file_id', 'fileUri', 'file_uri', 'file_url'])

function tokensOfText(text: string, kind: Kind, estimates: Estimates): number {
  if (text.startsWith('data:')) {
    const said = kindOfMediaType(text.slice('data:'.length, 64))
    return tokensOfMedia((text.length * 3) / 4, said ?? kind, estimates)
  }
  if (kind !== 'text') {
    if (isMedia(text)) return tokensOfMedia((text.length * 3) / 4, kind, estimates)
    if (/^(?:https?|gs|s3):\/\//.test(text)) return tokensOfReference(kind, estimates)
  }
  const further = Buffer.byteLength(text) - text.length
  return (text.length + further * charactersPerFurtherByte) / charactersPerToken
}

function tokensOfMedia(bytes: number, kind: Kind, { imageTokens }: Estimates): number {
  if (kind === 'image') return imageTokens
  if (kind === 'audio') return bytes / bytesPerAudioToken
  if (kind === 'video') return bytes / bytesPerVideoToken
  return bytes / bytesPerFileToken
}

function tokensOfReference(kind: Kind, { imageTokens, fileTokens }: Estimates): number {
  return kind === 'image' ? imageTokens : fileTokens
}

/** An inner kind overrides the outer one, except that `file` does not override a more specific kind. */
function narrower(outer: Kind, inner: Kind | undefined): Kind {
  if (inner === undefined) return outer
  return inner === 'file' && outer !== 'text' ? outer : inner
}

function kindOfObject(value: Readonly<Record<string, unknown>>): Kind | undefined {
  for (const name of ['media_type', 'mimeType', 'mime_type'])
    if (typeof value[name] === 'string') return kindOfMediaType(value[name])
  return typeof value['type'] === 'string' ? kindOfName(value['type']) : undefined
}

function kindOfMediaType(type: string): Kind | undefined {
  if (type.startsWith('text/')) return 'text'
  if (/^(?:image|audio|video)\//.test(type)) return kindOfName(type)
  return type.includes('/') ? 'file' : undefined
}

function kindOfName(name: string): Kind | undefined {
  const [word] = /image|audio|video|file|document/i.exec(name) ?? []
  if (word === undefined) return undefined
  const kind = word.toLowerCase()
  if (kind === 'image' || kind === 'audio' || kind === 'video') return kind
  return 'file'
}
