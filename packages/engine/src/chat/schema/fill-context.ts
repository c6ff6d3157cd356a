import type { Clues } from './clues.ts'
import type { Found } from './found.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Property } from './property.ts'

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

/** Optional properties are invented only down to this depth; below, lists stay empty and options are left out. */
export const depthMax = 12
