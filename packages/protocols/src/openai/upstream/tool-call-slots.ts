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
export interface ToolCallSlots {
  /** Number of calls that were sent. One without a name does not count. */
  count(): number
  /** The canonical pieces for one piece of the upstream: one, or none while the name is missing. */
  read(piece: Fields): readonly ToolCallDelta[]
  /** The remaining pieces of the calls when the choice ends. */
  rest(): readonly ToolCallDelta[]
}

export function createToolCallSlots(newId: () => string): ToolCallSlots {
  const byIndex = new Map<number, Slot>()
  const byId = new Map<string, Slot>()
  let last: Slot | undefined
  let count = 0

  /** Another id under a known index, with a name, is another call (Google's compatible endpoint). */
  function numbered(index: number, id: string | undefined, name: string | undefined) {
    const slot = byIndex.get(index)
    if (slot === undefined || id === undefined || id === slot.id || name === undefined) return slot
    return byId.get(id)
  }

  function unnumbered(id: string | undefined, name: string | undefined) {
    if (id !== undefined) return byId.get(id)
    return name === undefined ? last : undefined
  }

  function open(id: string | undefined): Slot {
    const slot: Slot = { index: undefined, id: id ?? newId(), waiting: '', isEmpty: false }
    byId.set(slot.id, slot)
    return slot
  }

  function slotOf(piece: Fields, name: string | undefined): Slot {
    const id = someText(piece['id'])
    const index = typeof piece['index'] === 'number' ? piece['index'] : undefined
    const found = index === undefined ? unnumbered(id, name) : numbered(index, id, name)
    const slot = found ?? open(id)
    if (index !== undefined) byIndex.set(index, slot)
    last = slot
    return slot
  }

  return {
    count: () => count,
    read: (piece) => readPiece(piece, { slotOf, next: () => count++ }),
    rest: () =>
      [...byId.values()].flatMap(({ index, isEmpty }) =>
        index === undefined || !isEmpty ? [] : [{ index, function: { arguments: '{}' } }],
      ),
  }
}

function readPiece(
  piece: Fields,
  slots: {
    readonly slotOf: (piece: Fields, name: string | undefined) => Slot
    readonly next: () => number
  },
): readonly ToolCallDelta[] {
  const custom = piece['custom']
  const { name, arguments: args } = isObject(custom)
    ? { name: custom['name'], arguments: custom['input'] }
    : objectOf(piece['function'])
  const slot = slots.slotOf(piece, someText(name))
  const text = readArguments(args)
  const extra = isObject(piece['extra_content']) ? { extra_content: piece['extra_content'] } : {}
  if (slot.index !== undefined) {
    if (text === '' && !('extra_content' in extra)) return []
    slot.isEmpty = false
    return [{ index: slot.index, ...argumentsOf(text, isObject(custom)), ...extra }]
  }
  // Some gateways in front of Anthropic send the empty object from a call's beginning before its arguments.
  slot.isEmpty = !isObject(custom) && text.trim() === '{}'
  if (!slot.isEmpty) slot.waiting += text
  const known = someText(name)
  if (known === undefined) return []
  slot.index = slots.next()
  const head = { index: slot.index, id: slot.id }
  if (isObject(custom))
    return [{ ...head, type: 'custom', custom: { name: known, input: slot.waiting }, ...extra }]
  const named = { name: known, arguments: slot.waiting }
  return [{ ...head, type: 'function', function: named, ...extra }]
}

function argumentsOf(text: string, custom: boolean): Pick<ToolCallDelta, 'function' | 'custom'> {
  if (text === '') return {}
  return custom ? { custom: { input: text } } : { function: { arguments: text } }
}
