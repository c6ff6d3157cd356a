import { spelledOut } from '../text/json-facts.ts'
import { rootOf, stopWords, wordsOf } from '../text/words.ts'
import type { Clues } from './clues.ts'
import { isRecord, type JsonSchema, textIn } from './json-schema.ts'

/** The state while one instance is filled. */
export interface FillContext {
  readonly root: JsonSchema
  readonly clues: Clues
  /** Values already used, in lower case, so that two properties do not get the same name or number. */
  readonly used: Set<string>
  /** How many more schemas may be visited; limits schemas that grow without end. */
  readonly budget: { nodes: number }
  readonly depth: number
  /** Names of required properties for which the text gives no value, so that one was invented. */
  readonly unsaid: Set<string>
  /** Whether none of several phrases may be used as a value unless the text says which; used if the value has consequences. */
  readonly isStrict: boolean
  /** The schemas around this one, so that one which contains itself is not filled without end. */
  readonly ancestors: readonly unknown[]
  /** Fills a schema inside this one. */
  readonly fillNode: (schema: JsonSchema, property: Property, context: FillContext) => Found
}

export function isUsed(context: FillContext, value: unknown): boolean {
  return context.used.has(String(value).toLowerCase())
}

export function markUsed(context: FillContext, value: unknown): void {
  context.used.add(String(value).toLowerCase())
}

/** The context one level deeper, with other clues if given. */
export function deeper(context: FillContext, clues = context.clues): FillContext {
  const inner = { ...context, clues, depth: context.depth + 1 }
  return clues === context.clues ? inner : { ...inner, used: new Set() }
}

/** Fills a required value of a schema inside this one. */
export function fillInside(schema: JsonSchema, name: string, context: FillContext): Found {
  return context.fillNode(schema, describeProperty(name, schema, true), deeper(context))
}

/** Optional properties are invented only down to this depth; below, lists stay empty and options are left out. */
export const depthMax = 12

/**
 * A value found for a property. `sure` says how well the text supports it: 2 means that it states the value, 1 is a reasonable
 * guess, 0 is invented because a value was required. An optional property is filled only with at least a reasonable guess.
 */
export interface Found {
  readonly value: unknown
  readonly sure: 0 | 1 | 2
}

export function stated(value: unknown): Found {
  return { value, sure: 2 }
}

export function guessed(value: unknown): Found {
  return { value, sure: 1 }
}

export function invented(value: unknown): Found {
  return { value, sure: 0 }
}

/** No value is allowed here, or none that is finite. */
export const impossible: Found = { value: undefined, sure: 0 }

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
