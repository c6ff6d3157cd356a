/** The members of a document with their types, in order: events of the same shape cost about the same to read. */
export function shapeOf(document: string): string {
  return [...new Set(membersOf(JSON.parse(document), ''))].join(' ')
}

function membersOf(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value))
    return value.length === 0
      ? [`${path}[0]`]
      : value.flatMap((item) => membersOf(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [`${path}:${typeNamed(value, path)}`]
  const entries = Object.entries(value)
  if (entries.length === 0) return [`${path}{}`]
  // Names of a caller's own: the parameters of a tool.
  const isOwn = /\.(?:properties|args)$/.test(path)
  return entries.flatMap(([name, member]) => membersOf(member, `${path}.${isOwn ? '*' : name}`))
}

function typeNamed(value: unknown, path: string): string {
  if (value === null) return 'null'
  return path.endsWith('.type') && !path.includes('properties') ? String(value) : typeof value
}
