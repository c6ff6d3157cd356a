import { parseJson } from './json.ts'
import { code } from './json-outline-code.ts'

/** A shorter document is parsed as a whole in less time. */
const documentBytesMin = 4 * 1024
/** A larger one is parsed in turns, as a whole. */
const documentBytesMax = 1024 * 1024
/** A shorter text stays. */
const textBytesMin = 256
/** What has to follow the document. */
const zeros = Buffer.alloc(16)
const pageBytes = 64 * 1024

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  outline(length: number, textMin: number): number
}

interface WithWebAssembly {
  readonly WebAssembly: {
    readonly Module: new (code: Uint8Array) => object
    readonly Instance: new (module: object) => { readonly exports: unknown }
  }
}

// TypeScript's library declares these only beside those of a browser.
const { WebAssembly } = globalThis as unknown as WithWebAssembly

let program: Program | undefined
let isMissing = false
let room = Buffer.alloc(0)

/**
 * What a JSON document holds, but for its long free texts: each text of 256 bytes and more that is the value of a field
 * called `content` or `text`, three levels down or deeper, is `...` instead. What was said and what was asked is nearly
 * all of a large request, and to decode and parse it takes several times as long as to look at its bytes. They are looked
 * at as the parser would: whatever has an outline is JSON, provided that it is UTF-8. Numbers are as of `parseJson`.
 *
 * Undefined for a document that has to be parsed as a whole: it is shorter than 4 KiB or longer than 1 MiB, it holds few
 * such texts, it is no JSON, or this processor cannot run the program.
 */
export function outlineJson(document: Uint8Array): unknown {
  const { length } = document
  if (length < documentBytesMin || length > documentBytesMax || isMissing) return undefined
  program ??= openProgram()
  if (!program) return undefined
  const { memory } = program
  const lacking = length + zeros.length - memory.buffer.byteLength
  if (lacking > 0) memory.grow(Math.ceil(lacking / pageBytes))
  if (room.buffer !== memory.buffer) room = Buffer.from(memory.buffer)
  room.set(document)
  room.set(zeros, length)
  const outlineLength = program.outline(length, textBytesMin)
  if (outlineLength < 0) return undefined
  try {
    return parseJson(room.toString('utf8', 0, outlineLength))
  } catch {
    return undefined
  }
}

/** Undefined where the processor lacks instructions that the program needs. */
function openProgram(): Program | undefined {
  try {
    const module = new WebAssembly.Module(Buffer.from(code, 'base64'))
    // What the module exports is what is described here: json-outline.wat.
    return new WebAssembly.Instance(module).exports as Program
  } catch {
    isMissing = true
    return undefined
  }
}
