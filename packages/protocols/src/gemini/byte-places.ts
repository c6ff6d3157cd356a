import { countWhere } from '../ordered.ts'

/** So many units of UTF-16 are counted at once. */
const blockUnits = 256

interface Block {
  readonly text: string
  /** What stands before it. */
  readonly units: number
  readonly bytes: number
}

/**
 * Places in a text that comes in pieces: Gemini counts bytes of UTF-8, chat, like JavaScript, units of UTF-16. Each
 * character is counted once, and only when somebody asks.
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

  /** The units before this byte. */
  unitsBefore(byte: number): number {
    const block = this.#blockWhere(({ bytes }) => bytes <= byte)
    if (block === undefined) return 0
    return block.units + Buffer.from(block.text).toString('utf8', 0, byte - block.bytes).length
  }

  /** The bytes before this unit. */
  bytesBefore(unit: number): number {
    const block = this.#blockWhere(({ units }) => units <= unit)
    if (block === undefined) return 0
    return block.bytes + Buffer.byteLength(block.text.slice(0, unit - block.units))
  }

  /** The last one that is so. */
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

/** No character of two units is torn apart. */
function endOfBlock(text: string, at: number): number {
  const end = at + blockUnits
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end
}
