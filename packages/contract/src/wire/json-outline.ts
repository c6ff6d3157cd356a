import { parseJson } from './json.ts'
import { code } from './json-outline-code.ts'
import { load, programOf } from './wasm-program.ts'

/** A shorter document is parsed as a whole in less time. So is a longer one of many short texts, by a fifth of its time. */
export const outlinedBytesMin = 1024
/** A larger one is parsed as a whole, in several turns of the event loop. */
const documentBytesMax = 1024 * 1024
/** Shorter texts are kept. */
const textBytesMin = 256

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  outline(length: number, textMin: number): number
  /** What the last outline left out. */
  readonly cutCount: { readonly value: number }
  readonly cutCharacters: { readonly value: number }
  readonly cutFurther: { readonly value: number }
}

const openProgram = programOf<Program>(code)

/** Texts that were left out of a document. */
export interface CutTexts {
  readonly count: number
  /** The sum of their lengths in UTF-16 units. */
  readonly characters: number
  /** Bytes that they take in UTF-8 beyond one for each unit. */
  readonly furtherBytes: number
}

export interface JsonOutline {
  readonly value: unknown
  readonly cut: CutTexts
}

/**
 * The contents of a JSON document without its long free texts: each text of at least 256 bytes that is the value of a field
 * called `content` or `text`, three levels down or deeper, is replaced by `...`, unless it is a data URL. Such texts are nearly
 * all of a large request, and decoding and parsing them takes several times as long as scanning their bytes. They are checked
 * as the parser would do it: a document with an outline is valid JSON, provided that it is UTF-8. Numbers are as of
 * `parseJson`.
 *
 * Undefined for a document that must be parsed as a whole: it is shorter than 1 KiB or longer than 1 MiB, it has few such
 * texts, it is not JSON, or this processor cannot run the program.
 */
export function outlineJson(document: Uint8Array): JsonOutline | undefined {
  const { length } = document
  if (length < outlinedBytesMin || length > documentBytesMax) return undefined
  const program = openProgram()
  if (!program) return undefined
  load(program, document, 0)
  const { run, room } = program
  const outlineLength = run.outline(length, textBytesMin)
  if (outlineLength < 0) return undefined
  try {
    const value = parseJson(room.toString('utf8', 0, outlineLength))
    const { cutCount, cutCharacters, cutFurther } = run
    const cut = {
      count: cutCount.value,
      characters: cutCharacters.value,
      furtherBytes: cutFurther.value,
    }
    return { value, cut }
  } catch {
    return undefined
  }
}
