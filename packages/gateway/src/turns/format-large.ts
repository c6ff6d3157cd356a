import { isObject, isRawNumber } from '@sluice/contract'
import { concatInTurns } from './concat.ts'
import { turn } from './turn.ts'

/** UTF-16 units written per turn: about a millisecond. */
const stretchLength = 256 * 1024
/** Values of at most this weight are written in one piece. */
const pieceWeightMax = 64 * 1024
/** The weight of a value that is not a string, in UTF-16 units. */
const valueWeight = 16
/** Items of a long list that are written together if they are light. */
const itemsTogether = 512

/** Whether serializing the value at once would block other requests; use `formatLargeJson` then. */
export function isLargeJson(value: unknown): boolean {
  return weigh(value, largeWeightMin) < 0
}

/** About a megabyte of text, or 60,000 values. */
const largeWeightMin = 1024 * 1024

/** `room` minus the weight of the value. Stops as soon as the result is negative. */
function weigh(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - valueWeight
  let left = room - valueWeight
  if (Array.isArray(value))
    for (let at = 0; at < value.length && left >= 0; at += 1) left = weigh(value[at], left)
  else if (isObject(value))
    for (const name in value) {
      left = weigh(value[name], left - name.length)
      if (left < 0) break
    }
  return left
}

/**
 * Serializes a value as JSON.stringify does, in UTF-8, in several turns of the event loop so that other requests do
 * not wait.
 */
export async function formatLargeJson(value: unknown): Promise<Buffer> {
  await turn()
  const writer = new LargeJson()
  await writer.write(value)
  return writer.bytes()
}

class LargeJson {
  readonly #written: Buffer[] = []
  #text = ''

  bytes(): Promise<Buffer> {
    this.#flush()
    return concatInTurns(this.#written)
  }

  async write(value: unknown): Promise<void> {
    if (typeof value === 'string' && value.length > pieceWeightMax) return this.#writeText(value)
    if (weigh(value, pieceWeightMax) >= 0 || isRawNumber(value))
      return this.#put(JSON.stringify(value) ?? 'null')
    if (Array.isArray(value)) return this.#writeList(value)
    if (isObject(value)) return this.#writeFields(value)
    return this.#put(JSON.stringify(value) ?? 'null')
  }

  async #writeText(text: string): Promise<void> {
    await this.#put('"')
    for (let at = 0; at < text.length; at += stretchLength)
      await this.#put(JSON.stringify(text.slice(at, at + stretchLength)).slice(1, -1))
    await this.#put('"')
  }

  async #writeList(list: readonly unknown[]): Promise<void> {
    await this.#put('[')
    for (let at = 0; at < list.length; at += itemsTogether) {
      const items = list.slice(at, at + itemsTogether)
      if (at > 0) await this.#put(',')
      if (weigh(items, pieceWeightMax) >= 0) await this.#put(JSON.stringify(items).slice(1, -1))
      else await this.#writeItems(items)
    }
    await this.#put(']')
  }

  async #writeItems(items: readonly unknown[]): Promise<void> {
    for (const [index, item] of items.entries()) {
      if (index > 0) await this.#put(',')
      await this.write(item)
    }
  }

  async #writeFields(fields: Readonly<Record<string, unknown>>): Promise<void> {
    let before = '{'
    for (const name of Object.keys(fields)) {
      const value = fields[name]
      // JSON.stringify omits these too.
      if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue
      await this.#put(`${before}${JSON.stringify(name)}:`)
      await this.write(value)
      before = ','
    }
    await this.#put(before === '{' ? '{}' : '}')
  }

  #put(text: string): Promise<void> | undefined {
    this.#text += text
    if (this.#text.length < stretchLength) return undefined
    this.#flush()
    return turn()
  }

  #flush(): void {
    this.#written.push(Buffer.from(this.#text))
    this.#text = ''
  }
}
