/** Fields that nobody knows, in documents. */

const unknownName = 'zzunknown'

/** A field that nobody knows, and the object of a document that it is put into. */
export interface UnknownField {
  readonly name: string
  /** The path of the object; empty for the document itself. */
  readonly place: string
}

/** One field for each object in a document, in a fixed order. */
export function unknownFieldsOf(document: unknown): readonly UnknownField[] {
  return placesIn(document, '').map((place, index) => ({ name: `${unknownName}${index}`, place }))
}

function placesIn(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => placesIn(item, `${path}[${index}]`))
  if (!isPlainObject(value)) return []
  const inner = Object.entries(value).flatMap(([key, item]) => placesIn(item, below(path, key)))
  return [path, ...inner]
}

/** The document with these fields. The value of each is its marker. */
export function withUnknown(
  value: unknown,
  fields: readonly UnknownField[],
  path = '',
): Readonly<Record<string, unknown>> {
  // Of an object, and a request is one.
  return changed(value, fields, path) as Readonly<Record<string, unknown>>
}

function changed(value: unknown, fields: readonly UnknownField[], path: string): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => changed(item, fields, `${path}[${index}]`))
  if (!isPlainObject(value)) return value
  const own = fields.filter(({ place }) => place === path)
  return {
    ...Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, changed(item, fields, below(path, key))]),
    ),
    ...Object.fromEntries(own.map((field) => [field.name, markerOf(field)])),
  }
}

/** A text that is nowhere else. */
export function markerOf({ name }: UnknownField): string {
  return `marked-${name}.`
}

/** Whether a path is that of the field, or of what holds it. */
export function namesField(path: string, { name, place }: UnknownField): boolean {
  return (
    path.endsWith(name) ||
    place === path ||
    place.startsWith(`${path}.`) ||
    place.startsWith(`${path}[`) ||
    place.endsWith(`.${path}`)
  )
}

/** Whether what a caller writes at a place is its own text: inside of schemas, inputs, results and documents to rank. */
export function isOwnText({ place }: UnknownField): boolean {
  return /schema|parameters|\.input$|\.args|\.response$|^documents/i.test(place)
}

function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}
