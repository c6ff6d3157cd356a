import { spelledOut } from '../text/json-facts.ts'
import { rootOf, stopWords, wordsOf } from '../text/words.ts'
import { isRecord, type JsonSchema, textIn } from './json-schema.ts'

/** The place in a schema for which a value is needed. */
export interface Property {
  /** As in the schema; empty for the root and for the items of a list without a name. */
  readonly name: string
  /** The name and title as words, in lower case. */
  readonly label: string
  readonly description: string
  readonly required: boolean
  /** Stems of the words of the label. */
  readonly roots: ReadonlySet<string>
}

export function describeProperty(name: string, schema: JsonSchema, required: boolean): Property {
  const title = isRecord(schema) ? (textIn(schema, 'title') ?? '') : ''
  const description = isRecord(schema) ? (textIn(schema, 'description') ?? '').slice(0, 500) : ''
  const label = `${spelledOut(name.slice(0, 100))} ${spelledOut(title.slice(0, 100))}`
    .trim()
    .toLowerCase()
  const roots = wordsOf(label)
    .filter((word) => !stopWords.has(word.lower))
    .map((word) => rootOf(word.lower))
  return { name, label, description, required, roots: new Set(roots) }
}
