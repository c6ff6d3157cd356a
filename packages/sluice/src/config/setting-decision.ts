/**
 * What administrators see of a text in the settings. `shown`: the text. `secret`: only that it is set. `url`: the URL, with
 * user, password, query and fragment hidden. `never`: not even that it exists.
 */
export type TextDecision = 'shown' | 'secret' | 'url' | 'never'

/** The strings in a type that are not one of a few fixed words. */
type FreeText<T> = T extends string ? (string extends T ? T : never) : never

type Structure<T> = Exclude<T, string | number | boolean | null | undefined>

/** Whether a value of the type holds free text anywhere. */
type HoldsText<T> = [FreeText<T>] extends [never]
  ? [Structure<T>] extends [never]
    ? false
    : true extends TextsIn<Structure<T>>
      ? true
      : false
  : true
type TextsIn<T> = T extends readonly (infer Item)[]
  ? HoldsText<Item>
  : { [K in keyof T]-?: HoldsText<T[K]> }[keyof T]

type Members<T> = T extends readonly (infer Item)[]
  ? { readonly each: Decision<Item> }
  : string extends keyof T
    ? { readonly each: Decision<T[keyof T]> }
    : { readonly members: { readonly [K in keyof T]-?: Decision<T[K]> } }

/** A setting that is either a text or has a structure has a decision for both. Without free text there is nothing to decide. */
export type Decision<T> =
  HoldsText<T> extends false
    ? 'shown'
    : [Structure<T>] extends [never]
      ? TextDecision
      : 'never' | (Members<Structure<T>> & Texts<T>)
type Texts<T> = [FreeText<T>] extends [never] ? unknown : { readonly text: TextDecision }

/** The runtime form of a decision. */
export type Decided =
  | TextDecision
  | {
      readonly text?: TextDecision
      readonly each?: Decided
      readonly members?: Readonly<Record<string, Decided>>
    }
