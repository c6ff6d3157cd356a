import type { ServerSentEvent } from '@sluice/contract'

/** The fields whose texts differ from one event of a stream to the next; OpenAI pads events with `obfuscation`. */
const textField = /"(?:content|text|reasoning_content|reasoning|obfuscation)": ?"/g

/** What may follow a backslash in a JSON string: `escape` of RFC 8259, 7. */
const escaped = /["\\/bfnrt]|u[0-9A-Fa-f]{4}/y

/** A larger event is not compared, which goes character by character: whoever reads it parses it in turns. */
const comparedMax = 65_536

const space = 32
const quote = 34
const backslash = 92

/**
 * Recognises an event that is the one before with other texts: nearly all events of a stream are. It is JSON as that one
 * was and has the same fields, and where there was text there is some again, so it need not be parsed to be judged.
 */
export class RepeatedEvent {
  #name = ''
  /** What stands before, between and behind the texts. */
  #parts: readonly string[] = []
  /** The same of the block that the event comes in; made when the first one is compared. */
  #blockParts: readonly string[] | undefined

  /** Whether the event differs from the one that was kept in its texts alone. */
  matches({ event, data }: ServerSentEvent): boolean {
    return data.length <= comparedMax && event === this.#name && consistsOf(data, this.#parts)
  }

  /** The same of a block of a stream, with its blank line and with one character for each byte. */
  matchesBlock(block: string): boolean {
    this.#blockParts ??= this.#name === '' ? blockPartsOf(this.#parts) : []
    return consistsOf(block, this.#blockParts)
  }

  /** Keeps an event that was parsed, to compare the next ones with. */
  keep({ event, data }: ServerSentEvent): void {
    this.#name = event
    this.#parts = data.length <= comparedMax ? partsOf(data) : []
    this.#blockParts = undefined
  }

  forget(): void {
    this.#parts = []
    this.#blockParts = undefined
  }
}

/** Whether a text is these parts, with texts of JSON between them. */
function consistsOf(text: string, parts: readonly string[]): boolean {
  let at = 0
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? ''
    const end = at + part.length
    // Compared as wholes, in a third of the time that startsWith takes, which goes unit by unit.
    if (text.slice(at, end) !== part) return false
    at = end
    if (index === parts.length - 1) return at === text.length
    at = textEnd(text, at)
    if (at < 0) return false
  }
  return false
}

/** As most upstreams write an event that has no name: one line of data. Another way of writing is not recognised. */
function blockPartsOf(parts: readonly string[]): readonly string[] {
  const last = parts.length - 1
  return parts.map((part, index) => {
    const begun = index === 0 ? `data: ${part}` : part
    return index === last ? `${begun}\n\n` : begun
  })
}

/** Empty where there is no text, or one that is empty: the next one says something else. */
function partsOf(data: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  for (const { 0: name, index } of data.matchAll(textField)) {
    const start = index + name.length
    const end = textEnd(data, start)
    if (end < 0) return []
    parts.push(data.slice(from, start))
    from = end
  }
  return parts.length === 0 ? [] : [...parts, data.slice(from)]
}

/** The place behind a text that is not empty, its closing quote included; -1 where there is none. */
function textEnd(data: string, start: number): number {
  for (let at = start; ; at += 1) {
    const code = data.charCodeAt(at)
    if (code === quote) return at > start ? at + 1 : -1
    if (code === backslash) {
      escaped.lastIndex = at + 1
      if (!escaped.test(data)) return -1
      at = escaped.lastIndex - 1
    } else if (Number.isNaN(code) || code < space) return -1
  }
}
