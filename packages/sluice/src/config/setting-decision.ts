/**
 * What administrators see of a text in the settings. `shown`: the text. `secret`: only that it is set. `url`: the URL, with
 * user, password, query and fragment hidden. `never`: not even that it exists.
 */
export type TextDecision = 'shown' | 'secret' | 'url' | 'never'

/** `free`: the strings in a type that are not one of a few fixed words. `any`: all strings. */
type Text<T, Kind extends 'free' | 'any'> = T extends string
  ? Kind extends 'any'
    ? T
    : string extends T
      ? T
      : never
  : never

type Structure<T> = Exclude<T, string | number | boolean | null | undefined>

/** Whether a value of the type holds such text anywhere. */
type HoldsText<T, Kind extends 'free' | 'any'> = [Text<T, Kind>] extends [never]
  ? [Structure<T>] extends [never]
    ? false
    : true extends TextsIn<Structure<T>, Kind>
      ? true
      : false
  : true
type TextsIn<T, Kind extends 'free' | 'any'> = T extends readonly (infer Item)[]
  ? HoldsText<Item, Kind>
  : { [K in keyof T]-?: HoldsText<T[K], Kind> }[keyof T]

type Members<T> = T extends readonly (infer Item)[]
  ? { readonly each: Decision<Item> }
  : string extends keyof T
    ? { readonly each: Decision<T[keyof T]> }
    : { readonly members: Named<T> }

/** Numbers and booleans are shown. Members that hold nothing else have no decision. */
type Named<T> = {
  readonly [K in keyof T as HoldsText<T[K], 'any'> extends true ? K : never]-?: Decision<T[K]>
}

/** A setting that is either a text or has a structure has a decision for both. Without free text there is nothing to decide. */
export type Decision<T> =
  HoldsText<T, 'free'> extends false
    ? 'shown'
    : [Structure<T>] extends [never]
      ? TextDecision
      : 'never' | (Members<Structure<T>> & Texts<T>)
type Texts<T> = [Text<T, 'free'>] extends [never] ? unknown : { readonly text: TextDecision }

/** The runtime form of a decision. */
export type Decided =
  | TextDecision
  | {
      readonly text?: TextDecision
      readonly each?: Decided
      readonly members?: Readonly<Record<string, Decided>>
    }

/** For members that a decision does not name: only numbers and booleans are shown. */
const undecided: Decided = {}

/** What is decided about a member. */
export function decisionFor(name: string, decided: Decided): Decided {
  if (typeof decided === 'string') return decided
  const { each, members = {} } = decided
  return each ?? (Object.hasOwn(members, name) ? members[name] : undefined) ?? undecided
}
