/** Well-known names that have a form in common, such as those of one maker's chat models, and the built-in models for them. */
export interface AliasFamily {
  /** A regular expression for the whole name. */
  readonly names: string
  /** The first one that offers the operation of a call answers it. */
  readonly models: readonly string[]
}

/** The names of built-in models beside their own. */
export interface AliasTable {
  readonly aliases: Readonly<Record<string, string>>
  /** Further aliases; the first family with the name counts. None if the file has aliases of its own. */
  readonly families: readonly AliasFamily[]
}

const compiled = new WeakMap<AliasFamily, RegExp>()

function hasName(family: AliasFamily, name: string): boolean {
  const known = compiled.get(family) ?? new RegExp(`^(?:${family.names})$`)
  compiled.set(family, known)
  return known.test(name)
}

/** The built-in models that a name stands for while no provider is configured; empty if the name is no alias. */
export function aliasesOf({ aliases, families }: AliasTable, name: string): readonly string[] {
  const listed = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  if (listed !== undefined) return [listed]
  return families.find((family) => hasName(family, name))?.models ?? []
}
