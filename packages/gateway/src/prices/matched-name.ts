/**
 * The name of the listed model whose price a name gets, if it is another model's as far as the names tell: the list matches
 * beginnings and parts of names, so that a new version may get the price of the one before. A date at the end and a region at
 * the beginning make no other model. Undefined if it is the same.
 */
export function otherModel(
  name: string,
  { id, match }: { readonly id: string; readonly match: unknown },
): string | undefined {
  const own = new Set([name.toLowerCase(), plain(name)])
  const isSame = own.has(id.toLowerCase()) || own.has(plain(id))
  return isSame || equalNames(match).some((one) => own.has(one)) ? undefined : id
}

const region = /^(?:us|us-gov|eu|apac|au|ca|jp|global|regional)\./
const date = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})(?=$|-v\d+:\d+$)/

function plain(name: string): string {
  return name.toLowerCase().replace(region, '').replace(date, '')
}

/** The names that are listed as they are. */
function equalNames(match: unknown): readonly string[] {
  if (typeof match !== 'object' || match === null) return []
  const { equals, or }: { readonly equals?: unknown; readonly or?: unknown } = match
  if (typeof equals === 'string') return [equals.toLowerCase()]
  return Array.isArray(or) ? or.flatMap(equalNames) : []
}
