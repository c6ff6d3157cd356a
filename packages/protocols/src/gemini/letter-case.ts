const spellings = new Map<string, string>()

/** Google reads every field in camel case and in snake case (protobuf's JSON mapping). */
export function snakeCase(name: string): string {
  const known = spellings.get(name)
  if (known !== undefined) return known
  const made = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  spellings.set(name, made)
  return made
}

/** The reverse; a name in camel case is kept. */
export function camelCase(name: string): string {
  if (!name.includes('_')) return name
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
