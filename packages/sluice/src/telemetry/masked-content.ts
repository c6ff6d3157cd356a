import { isObject } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols/client-format.ts'
import { maskText } from './masking.ts'

/** A prompt or response as transferred, as far as it was collected. */
export interface GatheredBody {
  readonly bytes: Uint8Array
  /** Whether it was cut. */
  readonly isCut: boolean
  /** Whether it is server-sent events, whose texts come in pieces. */
  readonly isStream: boolean
}

/** What is stored of it. */
export interface MaskedBody {
  /** JSON if it was JSON and is complete, otherwise text. */
  readonly text: string
  readonly isCut: boolean
  /** Number of masked parts. */
  readonly masked: number
}

/** A cut may split a secret so that it is not recognized; this many characters before the cut are removed, too. */
const cutMargin = 256

export interface Masking {
  /** How much is kept. */
  readonly charactersMax: number
  /** How the client format's events are read. */
  readonly textsOf: ClientFormat['textsOf']
}

/** Joins, masks and cuts a prompt or response. */
export function maskBody(
  { bytes, isCut, isStream }: GatheredBody,
  { charactersMax, textsOf }: Masking,
): MaskedBody {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const counter = { masked: 0 }
  const text = isStream
    ? JSON.stringify(maskValue(joinedTexts(raw, textsOf), counter, isCut ? cutMargin : 0))
    : maskDocument(raw, counter, isCut)
  const kept = text.slice(0, charactersMax)
  return { text: kept, isCut: isCut || kept.length < text.length, masked: counter.masked }
}

interface Counter {
  masked: number
}

function maskDocument(raw: string, counter: Counter, isCut: boolean): string {
  const value = isCut ? undefined : parsed(raw)
  if (value !== undefined) return JSON.stringify(maskValue(value, counter, 0))
  const plain = unescaped(raw)
  const { text, count } = maskText(plain)
  counter.masked += count
  return isCut ? text.slice(0, -cutMargin) : text
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}

/** For incomplete JSON: escapes may hide what a pattern looks for. */
function unescaped(raw: string): string {
  return raw.replace(
    /\\(?:u([\da-f]{4})|(.))/gi,
    (_all, code: string | undefined, sign: string) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
      return { n: '\n', t: '\t', r: '\r', b: ' ', f: ' ' }[sign] ?? sign
    },
  )
}

/** Masks each text separately, including field names and long numbers. */
function maskValue(value: unknown, counter: Counter, margin: number): unknown {
  if (typeof value === 'string')
    return masked(margin > 0 ? value.slice(0, -margin) : value, counter)
  if (typeof value === 'number') {
    const text = String(value)
    const shown = text.length < 13 ? text : masked(text, counter)
    return shown === text ? value : shown
  }
  if (Array.isArray(value)) return value.map((item) => maskValue(item, counter, margin))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      masked(name, counter),
      maskValue(field, counter, margin),
    ]),
  )
}

function masked(text: string, counter: Counter): string {
  const { text: shown, count } = maskText(text)
  counter.masked += count
  return shown
}

/**
 * Joins the texts of a stream's events by their places, because a secret may be split between pieces. If an event carries the
 * whole response, that is used.
 */
function joinedTexts(raw: string, textsOf: ClientFormat['textsOf']): unknown {
  if (textsOf === 'none') return {}
  const texts = new Map<string, string>()
  for (const line of raw.split(/\r?\n/)) {
    if (!line.startsWith('data:')) continue
    const event = parsed(line.slice('data:'.length))
    if (!isObject(event)) continue
    const found = textsOf(event)
    if ('whole' in found) return found.whole
    for (const [place, text] of found) texts.set(place, (texts.get(place) ?? '') + text)
  }
  return Object.fromEntries(texts)
}
