/**
 * Makes names unique: a name that was given before gets the next free number after `separator`, starting at 2. Takes the same
 * time however often a name is repeated.
 */
export function createUniqueNames(separator: string): (name: string) => string {
  const used = new Set<string>()
  const counts = new Map<string, number>()
  return (name) => {
    let unique = name
    let count = counts.get(name) ?? 1
    for (; used.has(unique); unique = `${name}${separator}${count}`) count += 1
    counts.set(name, count)
    used.add(unique)
    return unique
  }
}
