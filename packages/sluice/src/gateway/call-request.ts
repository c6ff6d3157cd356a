import { isRawNumber, type Parsed, parseJson, spliceFields, spliceInPlace } from '@sluice/contract'
import { longTextsOf } from './large-json.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a request consists of. */
export interface RequestParts {
  /** The fields of the body. */
  readonly fields: Fields
  /** The JSON body as it came, where there was one. From now on its bytes belong to the request alone. */
  readonly raw?: Uint8Array
  /** From the path, decoded. */
  readonly parameters?: Fields
  /** Whether the format is one of the gateway's own operations. */
  readonly isOwn: boolean
  /** Whether the fields are without their long texts (`outlineJson`). Default false. */
  readonly isOutline?: boolean
}

/** The request in the client's own format, path parameters included. */
export function requestOf({ isOwn, fields, parameters }: RequestParts): Fields {
  const own = isOwn && fields['model'] === null ? { ...fields, model: undefined } : fields
  if (!parameters) return own
  // The body's own field wins over the address, except where the address is all there is.
  return isOwn ? { ...parameters, ...own } : { ...own, ...parameters }
}

/** To parse so much takes a few milliseconds at most. */
const readAgainBytesMax = 1024 * 1024

/**
 * What a caller asks. While an upstream is waited for only the bytes of the body stay: the objects they were parsed to are
 * several times as large, and to collect garbage around those of all calls under way costs more than to parse one again.
 */
export class CallRequest {
  /** The model as the caller wrote it. */
  readonly model: unknown
  readonly #parameters: Fields | undefined
  readonly #isOwn: boolean
  #value: Fields | undefined
  #outline: Fields | undefined
  #fields: Fields | undefined
  #bytes: Buffer | undefined
  /** Where long texts lie in the bytes. */
  #longTexts: NonNullable<Parsed['longTexts']>
  /** Set once the bytes have been given away, possibly with another model in them. */
  #isLent = false

  /** `value` is the validated result of `requestOf`. */
  constructor(value: Fields, parts: RequestParts) {
    const { fields, raw, parameters, isOwn, isOutline } = parts
    this.model = value['model']
    this.#parameters = parameters
    this.#isOwn = isOwn
    if (isOutline === true) this.#outline = value
    else this.#value = value
    this.#fields = fields
    this.#longTexts = (raw && longTextsOf(raw)) ?? []
    this.#bytes = raw && Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  }

  /** The validated request in the client's own format, path parameters included. */
  get value(): Fields {
    this.#value ??= this.#read()
    return this.#value
  }

  /** The same, possibly without its long texts: for who asks how it is made, and not what it says. */
  get outline(): Fields {
    return this.#value ?? this.#outline ?? this.value
  }

  /** Whether there is a JSON body, which may go on as it came. */
  get hasBytes(): boolean {
    return this.#bytes !== undefined
  }

  /** Lets go of what `value` reads again from the bytes, unless that would hold up others. */
  rest(): void {
    if (!this.#bytes || this.#bytes.length > readAgainBytesMax) return
    this.#value = undefined
    this.#outline = undefined
    this.#fields = undefined
  }

  /** The JSON body as it came but for these top-level fields. The bytes must not be changed. */
  bytesWith(changed: Fields): Uint8Array {
    if (!this.#bytes) return new Uint8Array()
    const names = Object.keys(changed)
    // Of all fields only the model is known without its bytes.
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

  #read(): Fields {
    // It was an object the first time.
    const parsed = parseJson(this.#bytes?.toString('utf8') ?? '{}') as Record<string, unknown>
    const fields = withNumbers(parsed)
    const own = this.#isLent && 'model' in fields ? { ...fields, model: this.model } : fields
    return requestOf({
      fields: own,
      isOwn: this.#isOwn,
      ...(this.#parameters && { parameters: this.#parameters }),
    })
  }
}

/** Large integers deep in a request, such as ids in tool arguments, keep their digits; its own fields are numbers. */
export function withNumbers(fields: Record<string, unknown>): Record<string, unknown> {
  for (const name in fields) {
    const field = fields[name]
    if (isRawNumber(field)) fields[name] = Number(field.rawJSON)
  }
  return fields
}
