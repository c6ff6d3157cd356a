import { type CutTexts, cutMark, isObject } from '@sluice/contract'

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

interface Sizes extends Pick<Estimates, 'imageTokens' | 'fileTokens'> {
  /** Whether texts and token ids count too. */
  readonly countsText: boolean
}

/**
 * Estimates the maximum of the input tokens of a request: texts, media and references. `cut` are texts that were left out of
 * the request; they count as text, wherever they stood.
 */
export function inputTokensOf(request: unknown, estimates: Estimates, cut?: CutTexts): number {
  const { imageTokens, fileTokens } = estimates
  const kept = tokensIn(request, 'text', { imageTokens, fileTokens, countsText: true })
  return Math.ceil(cut ? kept + tokensOfCut(cut) : kept)
}

/** The marks that stand for the texts were counted as texts. */
function tokensOfCut({ count, characters, furtherBytes }: CutTexts): number {
  return tokensOfLength(characters - count * cutMark.length, furtherBytes)
}

function tokensOfLength(characters: number, furtherBytes: number): number {
  return (characters + furtherBytes * charactersPerFurtherByte) / charactersPerToken
}

/**
 * What providers count for an image of a megapixel is between 258 (Gemini) and 1,400 tokens (Claude). The size of a file that
 * is only named is unknown.
 */
const typicalMedia: Sizes = { imageTokens: 1_000, fileTokens: 0, countsText: false }

/** Estimates the usual number of tokens of the media in a request. */
export function mediaTokensOf(request: unknown): number {
  return Math.ceil(tokensIn(request, 'text', typicalMedia))
}

function tokensIn(value: unknown, kind: Kind, sizes: Sizes): number {
  if (typeof value === 'string') return tokensOfText(value, kind, sizes)
  if (value instanceof Uint8Array) return tokensOfMedia(value.length, kind, sizes)
  let tokens = 0
  if (Array.isArray(value))
    // A number in an array is a token id.
    for (const item of value)
      tokens += typeof item === 'number' ? Number(sizes.countsText) : tokensIn(item, kind, sizes)
  else if (isObject(value)) {
    const own = narrower(kind, kindOfObject(value))
    for (const name in value) {
      const field = value[name]
      const inner = narrower(own, kindOfName(name))
      tokens += referenceNames.has(name)
        ? typeof field === 'string'
          ? tokensOfReference(inner, sizes)
          : 0
        : tokensIn(field, inner, sizes)
    }
  }
  return tokens
}

/** Names of fields that reference a file elsewhere. */
const referenceNames: ReadonlySet<string> = new Set(['file_id', 'fileUri', 'file_uri', 'file_url'])

function tokensOfText(text: string, kind: Kind, sizes: Sizes): number {
  if (text.startsWith('data:')) {
    const said = kindOfMediaType(text.slice('data:'.length, 64))
    return tokensOfMedia((text.length * 3) / 4, said ?? kind, sizes)
  }
  if (kind !== 'text') {
    if (isMedia(text)) return tokensOfMedia((text.length * 3) / 4, kind, sizes)
    if (/^(?:https?|gs|s3):\/\//.test(text)) return tokensOfReference(kind, sizes)
  }
  if (!sizes.countsText) return 0
  return tokensOfLength(text.length, Buffer.byteLength(text) - text.length)
}

function tokensOfMedia(bytes: number, kind: Kind, { imageTokens }: Sizes): number {
  if (kind === 'image') return imageTokens
  if (kind === 'audio') return bytes / bytesPerAudioToken
  if (kind === 'video') return bytes / bytesPerVideoToken
  return bytes / bytesPerFileToken
}

function tokensOfReference(kind: Kind, { imageTokens, fileTokens }: Sizes): number {
  return kind === 'image' ? imageTokens : fileTokens
}

/** An inner kind overrides the outer one, except that `file` does not override a more specific kind. */
function narrower(outer: Kind, inner: Kind | undefined): Kind {
  if (inner === undefined) return outer
  return inner === 'file' && outer !== 'text' ? outer : inner
}

const mediaTypeNames = ['media_type', 'mimeType', 'mime_type'] as const

function kindOfObject(value: Readonly<Record<string, unknown>>): Kind | undefined {
  for (const name of mediaTypeNames)
    if (typeof value[name] === 'string') return kindOfMediaType(value[name])
  return typeof value['type'] === 'string' ? kindOfName(value['type']) : undefined
}

function kindOfMediaType(type: string): Kind | undefined {
  if (type.startsWith('text/')) return 'text'
  if (/^(?:image|audio|video)\//.test(type)) return kindOfName(type)
  return type.includes('/') ? 'file' : undefined
}

/** Names are few; beyond this number callers have made them up. */
const knownNamesMax = 1_000
const knownNameLengthMax = 64
const knownNames = new Map<string, Kind | undefined>()

function kindOfName(name: string): Kind | undefined {
  const known = knownNames.get(name)
  if (known !== undefined || knownNames.has(name)) return known
  const kind = findKind(name)
  if (knownNames.size < knownNamesMax && name.length <= knownNameLengthMax)
    knownNames.set(name, kind)
  return kind
}

function findKind(name: string): Kind | undefined {
  const [word] = /image|audio|video|file|document/i.exec(name) ?? []
  if (word === undefined) return undefined
  const kind = word.toLowerCase()
  if (kind === 'image' || kind === 'audio' || kind === 'video') return kind
  return 'file'
}

const mediaLengthMin = 1_000

/** Whether a string is inline media: a data URL, or base64 too long to be a word. */
export function isMedia(text: string): boolean {
  if (text.startsWith('data:')) return true
  return text.length >= mediaLengthMin && /^[\w+/=-]+$/.test(text.slice(0, mediaLengthMin))
}
