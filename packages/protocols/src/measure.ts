import { someText, unlistedFields } from '@sluice/contract'
import type { TSchema } from 'typebox'
import { keptElsewhere } from './kept-elsewhere.ts'

export type MediaKind = 'image' | 'audio' | 'video' | 'document'

/** A picture, recording or document of a request, at a place where its format has such. */
export interface Media {
  readonly kind: MediaKind
  /** The length of its base64 in the request; 0 if it is elsewhere. */
  readonly characters: number
}

/** What the provider may run itself for a request. Each time, the model reads its input again. */
export interface ProviderTools {
  /** The path of the first of them. */
  readonly path: string
  /** The most calls of all of them together; undefined if the request does not limit them. */
  readonly uses: number | undefined
  /** The field that limits them; undefined if the format has none. */
  readonly limitedBy: string | undefined
}

/** What a request says about its size and price. */
export interface Measured {
  readonly media: readonly Media[]
  /** Paths of what counts as input and is not in the request: stored conversations and prompts, and files. */
  readonly references: readonly string[]
  /** The number of choices that it asks for. */
  readonly choices: number
  /** The reasoning tokens that it allows; undefined if it does not say. */
  readonly thinkingBudget: number | undefined
  /** Whether it offers tools, which providers describe to the model in a text of their own. */
  readonly offersTools: boolean
  /** Undefined if the provider runs nothing. */
  readonly providerTools: ProviderTools | undefined
}

/** A request of an operation that has neither media nor choices. */
export const plainMeasure: Measured = {
  media: [],
  references: [],
  choices: 1,
  thinkingBudget: undefined,
  offersTools: false,
  providerTools: undefined,
}

/** Names of fields whose texts no provider counts as input. */
export const unbilledFields: ReadonlySet<string> = new Set([
  'encoding_format',
  'metadata',
  'model',
  'prompt_cache_key',
  'safety_identifier',
  'service_tier',
  'user',
])

const base64Url = /^data:([^,;]*)(?:;[^,;]*)*;base64,/i
const foreign = /[^A-Za-z0-9+/_=-]/

/**
 * The media of a request, collected from their places in it. Base64 that is not well-formed is no media, nor are texts that
 * stand where media could: their bytes count.
 */
export class MediaList {
  readonly media: Media[] = []
  readonly references: string[] = []

  /** A field with a data URL or an address. `kind` is what the field is for, unless the data URL says more. */
  addUrl(url: unknown, kind: MediaKind, path: string): void {
    const text = someText(url)
    if (text === undefined) return
    if (!/^data:/i.test(text.slice(0, 5))) return this.addReference(kind, path)
    const [head = '', type = ''] = base64Url.exec(text.slice(0, 1024)) ?? []
    if (head === '') return
    this.#add(text, { from: head.length, kind: kindOfType(type) ?? kind })
  }

  /** A field with base64 of a media type. */
  addBase64(base64: unknown, type: unknown, kind: MediaKind): void {
    if (typeof base64 !== 'string') return
    const own = typeof type === 'string' ? (kindOfType(type) ?? kind) : kind
    this.#add(base64, { from: 0, kind: own })
  }

  /** Something kept elsewhere. A picture has a size that providers bound; that of anything else is unknown. */
  addReference(kind: MediaKind, path: string): void {
    if (kind === 'image') this.media.push({ kind, characters: 0 })
    else this.references.push(path)
  }

  #add(
    text: string,
    { from, kind }: { readonly from: number; readonly kind: MediaKind | 'text' },
  ): void {
    const characters = text.length - from
    if (kind === 'text' || characters === 0) return
    const isWellFormed = !foreign.test(from === 0 ? text : text.slice(from))
    if (isWellFormed) this.media.push({ kind, characters })
    else if (kind === 'image') this.media.push({ kind, characters: 0 })
  }
}

/** Undefined for a type that does not say it. */
function kindOfType(type: string): MediaKind | 'text' | undefined {
  const [kind] = type.toLowerCase().split('/')
  if (kind === 'image' || kind === 'audio' || kind === 'video' || kind === 'text') return kind
  return kind === 'application' && !type.endsWith('/octet-stream') ? 'document' : undefined
}

/** Paths of the fields that say that a part of the request is kept elsewhere: those of the format, and unlisted ones. */
export function referencesIn(
  schema: TSchema,
  request: Readonly<Record<string, unknown>>,
  own: readonly string[],
): readonly string[] {
  const named = own.filter((name) => request[name] !== null && request[name] !== undefined)
  const unlisted = unlistedFields(schema, request).flatMap(
    ({ path, value }) => keptElsewhere(path, value) ?? [],
  )
  return [...named, ...unlisted]
}

/** The largest of several counts; undefined if there is none. */
export function largestOf(...counts: readonly unknown[]): number | undefined {
  const known = counts.filter((count) => typeof count === 'number' && count > 0) as number[]
  return known.length === 0 ? undefined : Math.max(...known)
}
