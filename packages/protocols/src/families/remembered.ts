/** Callers choose the names of models, so that there may be any number of them. */
const namesMax = 1_000

/** A function of a model's name whose results are kept, because it is asked for each request. */
export function remembered<T>(find: (name: string) => T): (name: string) => T {
  const known = new Map<string, { readonly value: T }>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found.value
    const value = find(name)
    if (known.size >= namesMax) known.clear()
    known.set(name, { value })
    return value
  }
}
