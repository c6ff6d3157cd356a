import type { Clues } from './clues.ts'
import type { Found } from './found.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Property } from './property.ts'

/** What travels through the filling of one instance. */
export interface FillContext {
  readonly root: JsonSchema
  readonly clues: Clues
  /** Values taken already, in lower case, so that two properties do not take the same name or number. */
  readonly used: Set<string>
  /** Schemas may yet be visited this often; keeps schemas that grow without end within bounds. */
  readonly budget: { nodes: number }
  readonly depth: number
  /** Names of required properties that the text says nothing for, and that were made up. */
  readonly unsaid: Set<string>
  /** Of several phrases of the text none is a value where nothing says so: what is made of it has consequences. */
  readonly isStrict: boolean
  /** The schemas this one stands in, so that one which contains itself is not filled without end. */
  readonly ancestors: readonly unknown[]
  /** Fills a schema below this one. */
  readonly fillNode: (schema: JsonSchema, property: Property, context: FillContext) => Found
}

export function isUsed(context: FillContext, value: unknown): boolean {
  return context.used.has(String(value).toLowerCase())
}

export function markUsed(context: FillContext, value: unknown): void {
  context.used.add(String(value).toLowerCase())
}

/** What is filled one level below, from other clues where they are given. */
export function deeper(context: FillContext, clues = context.clues): FillContext {
  const inner = { ...context, clues, depth: context.depth + 1 }
  return clues === context.clues ? inner : { ...inner, used: new Set() }
}

/** Further properties are invented only to this depth; below it lists stay empty and options are left out. */
export const depthMax = 12
