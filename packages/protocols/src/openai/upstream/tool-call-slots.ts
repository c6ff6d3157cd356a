import { type Fields, isObject, objectOf, someText, type ToolCallDelta } from '@sluice/contract'
import { readArguments } from './content.ts'

interface Slot {
  /** Undefined until the name arrives; before that, nothing of the call can be sent. */
  index: number | undefined
  readonly id: string
  waiting: string
  /** Whether its arguments are an empty object that was not sent yet. */
  isEmpty: boolean
}

/**
 * The tool calls of one streamed choice. OpenAI sends an index with every piece, and id, type and name with the first.
 * Compatible upstreams leave out the index, the id or the type, repeat id and name in every piece, give all parallel calls
 * index 0, or begin at index 1. The result is OpenAI's form, with slots counted from 0.
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

  /** Number of calls that were sent. One without a name does not count. */
  get count(): number {
    return this.#count
  }

  /** The canonical pieces for one piece of the upstream: one, or none while the name is missing. */
  read(piece: Fields): readonly ToolCallDelta[] {
    const custom = piece['custom']
    const { name, arguments: args } = isObject(custom)
      ? { name: custom['name'], arguments: custom['input'] }
      : objectOf(piece['function'])
    const slot = this.#slotOf(piece, someText(name))
    const text = readArguments(args)
    const extra = isObject(piece['extra_content'])
      ? { extra_content: piece['extra_content'] }
      : none
    if (slot.index !== undefined) {
      if (text === '' && extra === none) return []
      slot.isEmpty = false
      if (extra === none && !isObject(custom))
        return [{ index: slot.index, function: { arguments: text } }]
      return [{ index: slot.index, ...argumentsOf(text, isObject(custom)), ...extra }]
    }
    // Some gateways in front of Anthropic send the empty object from a call's beginning before its arguments.
    slot.isEmpty = !isObject(custom) && text.trim() === '{}'
    if (!slot.isEmpty) slot.waiting += text
    const known = someText(name)
    if (known === undefined) return []
    slot.index = this.#count++
    const head = { index: slot.index, id: slot.id }
    if (isObject(custom))
      return [{ ...head, type: 'custom', custom: { name: known, input: slot.waiting }, ...extra }]
    const named = { name: known, arguments: slot.waiting }
    return [{ ...head, type: 'function', function: named, ...extra }]
  }

  /** The remaining pieces of the calls when the choice ends. */
  rest(): readonly ToolCallDelta[] {
    return [...this.#byId.values()].flatMap(({ index, isEmpty }) =>
      index === undefined || !isEmpty ? [] : [{ index, function: { arguments: '{}' } }],
    )
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
    const slot: Slot = { index: undefined, id: id ?? this.#newId(), waiting: '', isEmpty: false }
    this.#byId.set(slot.id, slot)
    return slot
  }
}

const none: Pick<ToolCallDelta, 'extra_content'> = {}

function argumentsOf(text: string, custom: boolean): Pick<ToolCallDelta, 'function' | 'custom'> {
  if (text === '') return {}
  return custom ? { custom: { input: text } } : { function: { arguments: text } }
}
