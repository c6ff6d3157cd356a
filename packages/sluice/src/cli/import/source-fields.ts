import { isObject } from '@sluice/contract'
import { type Document, LineCounter, parseDocument } from 'yaml'
import { offsetOf } from '../../config/file.ts'
import { formatPath, type Path } from '../../config/references.ts'
import { CommandError } from '../command-error.ts'
import type { FieldReport, Verdict } from './report.ts'

interface Decision {
  readonly verdict: Verdict
  readonly note: string
}

/**
 * A YAML file of another program, of which every field is decided: what is not, the report names as unknown. A decision about
 * a field holds for everything in it that has none of its own.
 */
export class SourceFields {
  /** The content, with aliases and merge keys resolved. */
  readonly value: unknown
  readonly #file: string
  readonly #lines = new LineCounter()
  readonly #document: Document.Parsed
  readonly #decisions = new Map<string, Decision>()

  /** @throws CommandError if the text is no YAML; it names file and line. */
  constructor(text: string, file: string) {
    this.#file = file
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      merge: true,
      // Duplicate names occur in files that other programs read.
      uniqueKeys: false,
    })
    const [error] = this.#document.errors
    if (error) throw new CommandError(`${this.#at(error.pos[0])}: ${error.message}`)
    this.value = this.#document.toJS({ maxAliasCount: 1_000 }) ?? {}
  }

  taken(path: Path, note = ''): void {
    this.#decide(path, { verdict: 'taken', note })
  }

  changed(path: Path, note: string): void {
    this.#decide(path, { verdict: 'changed', note })
  }

  left(path: Path, why: string): void {
    this.#decide(path, { verdict: 'not taken', note: why })
  }

  /** Leaves a field with everything in it, whatever was decided there. */
  leftWhole(path: Path, why: string): void {
    for (const key of this.#within(path)) this.#decisions.delete(key)
    this.left(path, why)
  }

  /** Every field in the order of the file. A field in which nothing was decided otherwise is one entry. */
  report(): readonly FieldReport[] {
    return this.#reportOf(this.value, [], undefined)
  }

  #decide(path: Path, decision: Decision): void {
    this.#decisions.set(JSON.stringify(path), decision)
  }

  #reportOf(value: unknown, path: Path, above: Decision | undefined): readonly FieldReport[] {
    const decision = this.#decisions.get(JSON.stringify(path)) ?? above
    const parts = partsOf(value)
    const isWhole = parts.length === 0 || (decision && this.#within(path).length === 0)
    if (!isWhole)
      return parts.flatMap(([name, part]) => this.#reportOf(part, [...path, name], decision))
    if (path.length === 0) return []
    const { verdict, note } = decision ?? unknownField
    return [{ place: this.#place(path), field: formatPath(path), verdict, note }]
  }

  /** What was decided within a field. */
  #within(path: Path): readonly string[] {
    const start = `${JSON.stringify(path).slice(0, -1)}${path.length > 0 ? ',' : ''}`
    return [...this.#decisions.keys()].filter(
      (key) => key.startsWith(start) && key.length > start.length,
    )
  }

  #place(path: Path): string {
    return this.#at(offsetOf(this.#document, path))
  }

  #at(offset: number): string {
    return `${this.#file}:${this.#lines.linePos(offset).line}`
  }
}

const unknownField: Decision = {
  verdict: 'not taken',
  note: 'sluice import does not know this field',
}

function partsOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) {
    // A list of plain values is one field.
    const parts: readonly unknown[] = value
    return parts.some((part) => typeof part === 'object' && part !== null)
      ? [...parts.entries()]
      : []
  }
  return isObject(value) ? Object.entries(value) : []
}
