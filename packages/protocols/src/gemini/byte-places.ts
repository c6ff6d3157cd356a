import { countWhere } from '../said-text.ts'

/** Number of UTF-16 units that are counted at once. */
const blockUnits = 256

interface Block {
  readonly text: string
  /** Units and bytes before this block. */
  readonly units: number
  readonly bytes: number
}

/**
 * Positions in a text that arrives in pieces. Gemini counts UTF-8 bytes; chat completions count UTF-16 units, as JavaScript
 * does. Each character is counted once, and only when a position is asked for.
 */
export class BytePlaces {
  readonly #blocks: Block[] = []
  #uncounted: string[] = []
  #units = 0
  #bytes = 0

  constructor(text = '') {
    this.add(text)
  }

  add(text: string): void {
    if (text !== '') this.#uncounted.push(text)
  }

  /** The number of units before this byte. */
  unitsBefore(byte: number): number {
    const block = this.#blockWhere(({ bytes }) => bytes <= byte)
    if (block === undefined) return 0
    return block.units + Buffer.from(block.text).toString('utf8', 0, byte - block.bytes).length
  }

  /** The number of bytes before this unit. */
  bytesBefore(unit: number): number {
    const block = this.#blockWhere(({ units }) => units <= unit)
    if (block === undefined) return 0
    return block.bytes + Buffer.byteLength(block.text.slice(0, unit - block.units))
  }

  /** The last block that meets the condition. */
  #blockWhere(isSo: (block: Block) => boolean): Block | undefined {
    this.#count()
    return this.#blocks[countWhere(this.#blocks, isSo) - 1]
  }

  #count(): void {
    if (this.#uncounted.length === 0) return
    const whole = this.#uncounted.join('')
    this.#uncounted = []
    for (let at = 0; at < whole.length; ) {
      const text = whole.slice(at, endOfBlock(whole, at))
      this.#blocks.push({ text, units: this.#units, bytes: this.#bytes })
      this.#units += text.length
      this.#bytes += Buffer.byteLength(text)
      at += text.length
    }
  }
}

/** Does not split a character that takes two units. */
function endOfBlock(text: string, at: number): number {
  const end = at + blockUnits
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end
}
