import { type Fields, isObject, objectOf, someText, type ToolCallDelta } from '@sluice/contract'
import { readArguments } from './content.ts'

interface Slot {
  readonly index: number
  readonly id: string
  /** False while the name has not come; nothing of the call can be told before. */
  named: boolean
  waiting: string
}

/**
 * The tool calls of one streamed choice. OpenAI sends an index with every piece and id, type and name with the first;
 * compatible upstreams leave out the index, the id or the type, repeat id and name in every piece, give all parallel
 * calls index 0, or begin at index 1. Out comes OpenAI's form, with slots counted from 0.
 */
export class ToolCallSlots {
  readonly #newId: () => string
  readonly #byIndex = new Map<number, Slot>()
  readonly #byId = new Map<string, Slot>()
  #last: Slot | undefined
  #count = 0

  constructor(newId: () => string) {
    this.#newId = newId
  }

  get count(): number {
    return this.#count
  }

  /** The canonical pieces that one piece of the upstream stands for: one, or none while the name is missing. */
  read(piece: Fields): readonly ToolCallDelta[] {
    const custom = piece['custom']
    const { name, arguments: args } = isObject(custom)
      ? { name: custom['name'], arguments: custom['input'] }
      : objectOf(piece['function'])
    const slot = this.#slotOf(piece, someText(name))
    const text = readArguments(args)
    const extra = isObject(piece['extra_content']) ? { extra_content: piece['extra_content'] } : {}
    if (slot.named) {
      if (text === '' && !('extra_content' in extra)) return []
      return [{ index: slot.index, ...argumentsOf(text, isObject(custom)), ...extra }]
    }
    slot.waiting += text
    const known = someText(name)
    if (known === undefined) return []
    slot.named = true
    const begun = { index: slot.index, id: slot.id }
    if (isObject(custom))
      return [{ ...begun, type: 'custom', custom: { name: known, input: slot.waiting }, ...extra }]
    const named = { name: known, arguments: slot.waiting }
    return [{ ...begun, type: 'function', function: named, ...extra }]
  }

  #slotOf(piece: Fields, name: string | undefined): Slot {
    const id = someText(piece['id'])
    const index = typeof piece['index'] === 'number' ? piece['index'] : undefined
    const found = index === undefined ? this.#unnumbered(id, name) : this.#numbered(index, id, name)
    const slot = found ?? this.#open(id)
    if (index !== undefined) this.#byIndex.set(index, slot)
    this.#last = slot
    return slot
  }

  /** Another id under a known index, with a name, is another call (Google's compatible endpoint). */
  #numbered(index: number, id: string | undefined, name: string | undefined): Slot | undefined {
    const slot = this.#byIndex.get(index)
    if (slot === undefined || id === undefined || id === slot.id || name === undefined) return slot
    return this.#byId.get(id)
  }

  #unnumbered(id: string | undefined, name: string | undefined): Slot | undefined {
    if (id !== undefined) return this.#byId.get(id)
    return name === undefined ? this.#last : undefined
  }

  #open(id: string | undefined): Slot {
    const slot: Slot = { index: this.#count++, id: id ?? this.#newId(), named: false, waiting: '' }
    this.#byId.set(slot.id, slot)
    return slot
  }
}

function argumentsOf(text: string, custom: boolean): Pick<ToolCallDelta, 'function' | 'custom'> {
  if (text === '') return {}
  return custom ? { custom: { input: text } } : { function: { arguments: text } }
}
