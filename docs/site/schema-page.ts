/** A JSON Schema as far as ours use it. */
interface Schema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly required?: readonly string[]
}

/** A section for each part at the top, and in it a row for each setting with its path below that. */
export function schemaPage(schema: Schema): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => [
    `## ${name}`,
    '',
    part.description ?? '',
    '',
    ...table(rowsOf(part, '')),
  ])
}

interface Row {
  readonly path: string
  readonly schema: Schema
}

function table(rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return []
  const lines = rows.map(
    ({ path, schema }) => `¦ \`${path}\` ¦ ${kindOf(schema)} ¦ ${schema.description ?? ''} ¦`,
  )
  return ['¦ setting ¦ value ¦ meaning ¦', '¦---¦---¦---¦', ...lines, '']
}

function rowsOf(schema: Schema, path: string): readonly Row[] {
  const below: Row[] = []
  const add = (name: string, part: Schema) => {
    const its = path === '' ? name : `${path}.${name}`
    below.push({ path: its, schema: part }, ...rowsOf(part, its))
  }
  for (const [name, part] of Object.entries(schema.properties ?? {})) add(name, part)
  const named = Object.values(schema.patternProperties ?? {})
  const others =
    typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
  for (const part of [...named, ...others]) add('*', part)
  if (schema.items) below.push(...rowsOf(schema.items, `${path}[]`))
  for (const arm of schema.anyOf ?? []) below.push(...rowsOf(arm, path))
  return below.filter(
    ({ path: one }, index) => below.findIndex((row) => row.path === one) === index,
  )
}

function kindOf({ type, enum: values, const: only, anyOf, items }: Schema): string {
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ')
  if (only !== undefined) return `\`${JSON.stringify(only)}\``
  if (anyOf) return [...new Set(anyOf.map(kindOf))].join(' or ')
  if (type === 'array' && items) return `list of ${kindOf(items)}`
  const names: Readonly<Record<string, string>> = {
    integer: 'whole number',
    object: 'map',
    boolean: 'true or false',
    string: 'text',
  }
  return names[type ?? ''] ?? type ?? 'anything'
}
