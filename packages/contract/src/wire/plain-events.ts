import { code } from './plain-events-code.ts'
import { load, type OpenProgram, programOf } from './wasm-program.ts'

/**
 * What a member of an event may be so that the event is plain, which means that it only adds text to the answer:
 *
 * - `text`: a text. An event without any that is not empty is not plain.
 * - `any`: anything. It is read, but says nothing as long as the others are as they must be.
 * - `none`: null. `never`: it is not even there.
 * - `choice`: the index of the choice, from 0 to 9. Without it, the choice is 0. `call`: that of the call to which the text
 *   belongs, if it belongs to one: it must be there, and from 0 to 9.
 * - `words`: one of these texts. The member must be there, unless it is optional. With one of `callWords`, the text belongs to
 *   a call.
 * - `object`, `single`: an object, a list of one object; or null. `calls`: the same as `single`, and the text belongs to a call.
 * - `usage`: the same, with a `count` in at least one of its members.
 * - `repeats`: it repeats the text of another member, which stands before it. No text that follows counts.
 */
export type PlainMember =
  | 'any'
  | 'text'
  | 'none'
  | 'never'
  | 'choice'
  | 'call'
  | {
      readonly words: readonly string[]
      readonly callWords?: readonly string[]
      readonly isOptional?: true
    }
  | { readonly object: PlainMembers }
  | { readonly single: PlainMembers }
  | { readonly calls: PlainMembers }
  | 'count'
  | { readonly usage: PlainMembers }
  | { readonly repeats: string }

/** Members with other names are not read, and may be anything. */
export type PlainMembers = Readonly<Record<string, PlainMember>>

/** What the plain events of a format look like. At most 32 members have a role in it. */
export interface PlainForm {
  readonly members: PlainMembers
  /** The names of the members whose texts count, wherever they stand. */
  readonly texts: readonly string[]
}

/** Plain events that follow each other. Either the texts of all of them belong to calls, or none. */
export interface PlainEvents {
  /** Where they end. */
  readonly end: number
  readonly count: number
  /** The bytes of their texts, as they are written in JSON. */
  readonly textBytes: number
  /** The choices that they belong to: bit `n` for choice `n`. */
  readonly choices: number
  /** The same for calls. */
  readonly calls: number
  /** Where the last one that reports usage stands. Absent: none does. */
  readonly usage: { readonly start: number; readonly end: number } | undefined
}

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  scan(at: number, form: number): number
  blockEnd(at: number, end: number): number
  readonly events: { readonly value: number }
  readonly textBytes: { readonly value: number }
  readonly choices: { readonly value: number }
  readonly calls: { readonly value: number }
  readonly usageStart: { readonly value: number }
  readonly usageEnd: { readonly value: number }
}

const bytesStart = 64 * 1024
/** More bytes are not scanned at once. */
export const scannedBytesMax = 1024 * 1024

const openProgram = programOf<Program>(code)

/** Finds the plain events among bytes. */
export class EventScan {
  readonly #program: OpenProgram<Program>
  readonly #form: number
  #end = bytesStart

  private constructor(program: OpenProgram<Program>, form: number) {
    this.#program = program
    this.#form = form
  }

  /** Undefined if this processor cannot run the program. */
  static of(form: PlainForm): EventScan | undefined {
    const program = openProgram()
    return program && new EventScan(program, addressIn(program, form))
  }

  /** Takes up to 1 MiB of bytes, which are scanned until any others are loaded. */
  load(bytes: Uint8Array): void {
    load(this.#program, bytes, bytesStart)
    this.#end = bytesStart + bytes.length
  }

  /** Those that begin at a place; undefined if there is none. */
  plainAt(at: number): PlainEvents | undefined {
    const { run } = this.#program
    const end = run.scan(bytesStart + at, this.#form) - bytesStart
    if (end === at) return undefined
    const { events, textBytes, choices, calls, usageStart, usageEnd } = run
    const usage =
      usageEnd.value === 0
        ? undefined
        : { start: usageStart.value - bytesStart, end: usageEnd.value - bytesStart }
    return {
      end,
      count: events.value,
      textBytes: textBytes.value,
      choices: choices.value,
      calls: calls.value,
      usage,
    }
  }

  /**
   * The end of the block that begins at a place, or of the blank lines there. Undefined if it has not arrived or has
   * line ends of several kinds.
   */
  blockEnd(at: number): number | undefined {
    const end = this.#program.run.blockEnd(bytesStart + at, this.#end)
    return end === 0 ? undefined : end - bytesStart
  }
}

// A form as the program reads it, in the first page of its memory.

/** The nodes of its members and of any others, and the bits of the members that must be there. */
const formBytes = 3 * 4
const nameBytesMax = 48
/** Whether its names matter, and the first entry of each length. */
const nodeBytes = 2 + 2 * (nameBytesMax + 1)
/** Name, role, what the role needs, bit, and the next entry of the same length. */
const entryBytes = nameBytesMax + 4 * 4

/** In the order of the program. */
const roles = {
  loose: 0,
  never: 1,
  words: 2,
  index: 3,
  repeats: 4,
  none: 5,
  text: 6,
  count: 7,
  object: 8,
  single: 9,
  calls: 10,
  usage: 11,
} as const

interface Entry {
  readonly role: number
  readonly needs?: number
  readonly bit?: number
}

const addresses = new Map<PlainForm, number>()

function addressIn({ room }: OpenProgram<Program>, form: PlainForm): number {
  const known = addresses.get(form)
  if (known !== undefined) return known
  const layout = new FormLayout(room, form)
  addresses.set(form, layout.address)
  return layout.address
}

/** Where the next form goes: 0 stands for no entry. */
let free: number = formBytes

class FormLayout {
  readonly address: number
  readonly #room: Buffer
  readonly #texts: readonly string[]
  #bits = 0
  #required = 0

  constructor(room: Buffer, { members, texts }: PlainForm) {
    this.#room = room
    this.#texts = texts
    this.address = this.#take(formBytes)
    room.writeUInt32LE(this.#node(members), this.address)
    room.writeUInt32LE(this.#loose(), this.address + 4)
    room.writeInt32LE(this.#required, this.address + 8)
  }

  #take(bytes: number): number {
    const start = free
    free += bytes
    if (free > bytesStart) throw new RangeError('The forms of plain events are too large')
    return start
  }

  /** An object in which nothing but texts matters. */
  #loose(): number {
    const node = this.#take(nodeBytes)
    for (const name of this.#texts) this.#enter(node, name, { role: roles.loose })
    return node
  }

  #node(members: PlainMembers): number {
    const node = this.#loose()
    this.#room.writeUInt16LE(1, node)
    const bits = new Map<string, number>()
    for (const [name, member] of Object.entries(members)) {
      if (member === 'any') continue
      const bit = this.#bit()
      bits.set(name, bit)
      this.#enter(node, name, { bit, ...this.#entry(member, bit, bits) })
    }
    return node
  }

  #bit(): number {
    if (this.#bits === 32) throw new RangeError('A form of plain events has too many members')
    const bit = 1 << this.#bits
    this.#bits += 1
    return bit
  }

  #entry(
    member: Exclude<PlainMember, 'any'>,
    bit: number,
    bits: ReadonlyMap<string, number>,
  ): Entry {
    if (member === 'choice' || member === 'call')
      return { role: roles.index, needs: member === 'call' ? 1 : 0 }
    if (typeof member === 'string') return { role: roles[member] }
    if ('object' in member) return { role: roles.object, needs: this.#node(member.object) }
    if ('single' in member) return { role: roles.single, needs: this.#node(member.single) }
    if ('calls' in member) return { role: roles.calls, needs: this.#node(member.calls) }
    if ('usage' in member) return { role: roles.usage, needs: this.#node(member.usage) }
    if ('repeats' in member) return { role: roles.repeats, needs: bits.get(member.repeats) ?? 0 }
    if (member.isOptional !== true) this.#required |= bit
    const words = this.#take(nodeBytes)
    for (const word of member.words) this.#enter(words, word, { role: roles.never })
    for (const word of member.callWords ?? [])
      this.#enter(words, word, { role: roles.never, needs: 1 })
    return { role: roles.words, needs: words }
  }

  /** Puts an entry before those of the same length, so that it is found before a loose text of the same name. */
  #enter(node: number, name: string, { role, needs = 0, bit = 0 }: Entry): void {
    const room = this.#room
    const length = Buffer.byteLength(name)
    if (length > nameBytesMax) throw new RangeError(`The name ${name} is too long`)
    const first = node + 2 + 2 * length
    const entry = this.#take(entryBytes)
    room.write(name, entry)
    room.writeUInt32LE(role, entry + nameBytesMax)
    room.writeUInt32LE(needs, entry + nameBytesMax + 4)
    room.writeInt32LE(bit, entry + nameBytesMax + 8)
    room.writeUInt32LE(room.readUInt16LE(first), entry + nameBytesMax + 12)
    room.writeUInt16LE(entry, first)
  }
}
