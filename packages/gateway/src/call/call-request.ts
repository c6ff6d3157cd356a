import {
  changeValue,
  changeWithin,
  type Fields,
  formatJson,
  isRawNumber,
  objectOf,
  type Parsed,
  parseJson,
  removeFields,
  spliceFields,
  spliceInPlace,
} from '@sluice/contract'
import type { Change, NewValue } from '@sluice/protocols/native-target.ts'
import type { Inspected, Native } from '@sluice/protocols/protocol.ts'
import { longTextBytesMin, longTextsOf } from '../turns/large-json.ts'

/** The parts of a request. */
export interface RequestParts {
  /** The body's fields. */
  readonly fields: Fields
  /** The JSON body as received, if there was one. The request takes ownership of these bytes. */
  readonly raw?: Uint8Array
  /** Path parameters, decoded. */
  readonly parameters?: Fields
  /** Whether the format is one of the gateway's own operations. */
  readonly isOwn: boolean
  /** Whether long texts are left out of the fields (`outlineJson`). */
  readonly isOutline?: boolean
}

/** The request in the client's own format, path parameters included. */
export function requestOf({ isOwn, fields, parameters }: RequestParts): Fields {
  const own = isOwn && fields['model'] === null ? { ...fields, model: undefined } : fields
  if (!parameters || Object.keys(parameters).length === 0) return own
  // Azure ignores the model in the body.
  const { deployment } = parameters
  if (deployment !== undefined) return { ...own, model: deployment }
  // For the gateway's own operations a body field wins over a path parameter. In other formats the path wins.
  return isOwn ? { ...parameters, ...own } : { ...own, ...parameters }
}

/** Parsing this much takes a few milliseconds at most. */
const readAgainBytesMax = 1024 * 1024

/**
 * The caller's request. While the gateway waits for an upstream, only the bytes of the body are kept: parsed objects
 * are several times larger, and collecting garbage around the objects of all open calls costs more than parsing
 * again.
 */
export class CallRequest {
  /** The model as the caller wrote it. */
  readonly model: unknown
  /** Whether there is a JSON body that can be passed on unchanged. */
  readonly hasBytes: boolean
  readonly #parameters: Fields | undefined
  readonly #isOwn: boolean
  #value: Fields | undefined
  #outline: Fields | undefined
  #fields: Fields | undefined
  #bytes: Buffer | undefined
  /** Positions of long texts in the bytes. */
  #longTexts: NonNullable<Parsed['longTexts']>
  /** The last inspection, and what made it. */
  #inspected: { readonly by: Native['inspect']; readonly found: Inspected } | undefined
  /** Set once the bytes have been passed on, possibly with another model in them. */
  #isLent = false

  /** `value` is the validated result of `requestOf`. */
  constructor(value: Fields, parts: RequestParts) {
    const { fields, raw, parameters, isOwn, isOutline } = parts
    this.model = value['model']
    this.hasBytes = raw !== undefined
    this.#parameters = parameters
    this.#isOwn = isOwn
    if (isOutline === true) this.#outline = value
    else this.#value = value
    this.#fields = fields
    this.#longTexts = (raw && raw.length >= longTextBytesMin && longTextsOf(raw)) || []
    this.#bytes = raw && Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  }

  /** The validated request in the client's own format, path parameters included. */
  get value(): Fields {
    this.#value ??= this.#read()
    return this.#value
  }

  /** The same, possibly without its long texts, for code that needs only the structure. */
  get outline(): Fields {
    return this.#value ?? this.#outline ?? this.value
  }

  /** What a native format finds in the request; found once, as the natives of a format share their inspection. */
  inspectedBy({ inspect }: Native): Inspected {
    if (this.#inspected?.by !== inspect)
      this.#inspected = { by: inspect, found: inspect(this.outline) }
    return this.#inspected.found
  }

  /** The size of the JSON body; undefined if there is none. */
  get bytes(): number | undefined {
    return this.#bytes?.length
  }

  /** Whether the body has a word, as it is or possibly escaped. */
  mayMention(word: string): boolean {
    return this.#bytes !== undefined && (this.#bytes.includes(word) || this.#bytes.includes('\\u'))
  }

  /** Whether the body has a string with exactly this content, unescaped. */
  quotes(text: string): boolean {
    return this.#bytes?.includes(`"${text}"`) === true
  }

  /**
   * Releases the parsed objects, which `value` parses again from the bytes. Skipped for large bodies, whose parsing
   * would block others.
   */
  rest(): void {
    if (!this.#bytes || this.#bytes.length > readAgainBytesMax) return
    this.#value = undefined
    this.#outline = undefined
    this.#fields = undefined
  }

  /** The JSON body with these top-level fields replaced. The returned bytes must not be modified. */
  bytesWith(changed: Fields): Uint8Array {
    if (!this.#bytes) return new Uint8Array()
    const names = Object.keys(changed)
    // Only the model can be restored without the original bytes.
    const isRestorable = names.length === 0 || (names.length === 1 && names[0] === 'model')
    const parsed = this.#fields && { fields: this.#fields, longTexts: this.#longTexts }
    const changedInPlace =
      isRestorable && !this.#isLent && parsed
        ? spliceInPlace(this.#bytes, changed, parsed)
        : undefined
    if (!changedInPlace) return spliceFields(this.#bytes, changed, parsed)
    this.#isLent = true
    this.#bytes = changedInPlace.bytes
    this.#longTexts = changedInPlace.longTexts
    return this.#bytes
  }

  /** The request with these fields, which takes over its bytes. For one that was not passed on yet. */
  changed(changes: readonly NewValue[]): CallRequest {
    const split = splitChanges(changes)
    const raw = this.#bytes && split.apply(spliceFields(this.#bytes, split.fields))
    return new CallRequest(withValues(this.outline, changes), {
      fields: withValues(this.#fields ?? this.outline, changes),
      isOwn: this.#isOwn,
      isOutline: this.#value === undefined,
      ...(raw && { raw }),
      ...(this.#parameters && { parameters: this.#parameters }),
    })
  }

  #read(): Fields {
    // The body was an object when it was first parsed.
    const fields = withNumbers(objectOf(parseJson(this.#bytes?.toString('utf8') ?? '{}')))
    const own = this.#isLent && 'model' in fields ? { ...fields, model: this.model } : fields
    return requestOf({
      fields: own,
      isOwn: this.#isOwn,
      ...(this.#parameters && { parameters: this.#parameters }),
    })
  }
}

/**
 * Converts the raw numbers of top-level fields. Large integers deeper in a request, such as ids in tool arguments,
 * keep their digits.
 */
export function withNumbers(fields: Fields): Fields {
  for (const name in fields)
    if (isRawNumber(fields[name]))
      return Object.fromEntries(
        Object.entries(fields).map(([one, field]) => [
          one,
          isRawNumber(field) ? Number(field.rawJSON) : field,
        ]),
      )
  return fields
}

function withValues(fields: Fields, changes: readonly NewValue[]): Fields {
  const changed: Record<string, unknown> = { ...fields }
  for (const { path, value } of changes) {
    const [outer, inner] = path
    changed[outer] = inner === undefined ? value : { ...objectOf(changed[outer]), [inner]: value }
  }
  return changed
}

/** Changes of a request's bytes, by the ways in which they are made. */
interface SplitChanges {
  /** Top-level fields with their new values. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Makes all other changes. Returns the same bytes if there are none. */
  apply(bytes: Uint8Array): Uint8Array
  /** Whether there are no other changes. */
  readonly isPlain: boolean
}

export function splitChanges(changes: readonly Change[]): SplitChanges {
  const fields: Record<string, unknown> = {}
  const removed: string[] = []
  const nested: { readonly outer: string; readonly name: string; readonly value: unknown }[] = []
  const whole: Extract<Change, { change: object }>[] = []
  for (const one of changes) {
    if (one.change !== undefined) {
      whole.push(one)
      continue
    }
    const { path, value } = one
    const [outer, name] = path
    if (name !== undefined) nested.push({ outer, name, value })
    else if (value === undefined) removed.push(outer)
    else fields[outer] = value
  }
  return {
    fields,
    isPlain: removed.length === 0 && nested.length === 0 && whole.length === 0,
    apply(bytes) {
      let changed = removed.length === 0 ? bytes : removeFields(bytes, removed)
      for (const { outer, name, value } of nested)
        changed = changeWithin(changed, outer, (object) =>
          value === undefined
            ? removeFields(object, [name])
            : spliceFields(object, { [name]: value }),
        )
      for (const { path, change } of whole)
        changed = changeValue(changed, path[0], (value) =>
          Buffer.from(formatJson(change(parseJson(Buffer.from(value).toString('utf8'))))),
        )
      return changed
    },
  }
}
