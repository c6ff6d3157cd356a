import type { Fields } from '../../parts/fields.ts'

/** A chosen file, which the generated code reads by its name. */
export interface CodeFile {
  readonly name: string
  readonly type: string
}

/** Marks the place of a file's base64 content in a request. */
export const fileMark = '\u{F8FF}file\u{F8FF}'

/** A text as a shell argument. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A body as a shell argument in single quotes; a file is read at the place of its content. */
export function inCurl(body: Fields, file?: CodeFile): string {
  const name = inShell(file?.name ?? 'file')
  return inShell(JSON.stringify(body, null, 2)).replaceAll(fileMark, `'"$(base64 -w0 ${name})"'`)
}

/** An object literal for JavaScript, beginning with fields whose values are the contents of the files of these names. */
export function inJavaScript(
  body: Fields,
  file: CodeFile | undefined,
  files: Readonly<Record<string, string>>,
): string {
  const text = JSON.stringify(body, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(
      new RegExp(`"([^"]*)${fileMark}"`, 'g'),
      (_, before: string) => `\`${before}\${readFileSync(${quotedName(file)}, 'base64')}\``,
    )
  const opened = Object.entries(files).map(
    ([field, name]) => `  ${field}: createReadStream(${JSON.stringify(name)}),\n`,
  )
  return text.replace(/^\{\n/, () => `{\n${opened.join('')}`)
}

/** The same as keyword arguments of a Python call, each starting on its own line. */
export function inPython(
  body: Fields,
  file: CodeFile | undefined,
  files: Readonly<Record<string, string>>,
): string {
  return [
    ...Object.entries(files).map(
      ([field, name]) => `    ${field}=open(${JSON.stringify(name)}, "rb"),`,
    ),
    ...entriesOf(body).map(([field, value]) => `    ${field}=${python(value, 1, file)},`),
  ].join('\n')
}

function python(value: unknown, depth: number, file: CodeFile | undefined): string {
  const inner = '    '.repeat(depth + 1)
  const close = '    '.repeat(depth)
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    const items = value.map((item) => `${inner}${python(item, depth + 1, file)},`)
    return `[\n${items.join('\n')}\n${close}]`
  }
  if (typeof value === 'object') {
    const entries = entriesOf(value)
    if (entries.length === 0) return '{}'
    const lines = entries.map(
      ([name, item]) => `${inner}${JSON.stringify(name)}: ${python(item, depth + 1, file)},`,
    )
    return `{\n${lines.join('\n')}\n${close}}`
  }
  const text = JSON.stringify(value)
  if (!text.includes(fileMark)) return text
  const read = `base64.b64encode(open(${quotedName(file)}, "rb").read()).decode()`
  return `${text.replace(fileMark, '')} + ${read}`.replace(/^"" \+ /, '')
}

/** Undefined fields are left out, as in JSON. */
function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, item]) => item !== undefined)
}

function quotedName(file: CodeFile | undefined): string {
  return JSON.stringify(file?.name ?? 'file')
}
