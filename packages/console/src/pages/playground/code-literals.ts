import type { Fields } from './fields.ts'

/** A chosen file, which the generated code reads by its name. */
export interface CodeFile {
  readonly name: string
  readonly type: string
}

/** Marks the place of a file's base64 content in a request. */
export const fileMark = '\u{F8FF}file\u{F8FF}'

/** A body as a shell argument in single quotes; a file is read at the place of its content. */
export function inCurl(body: Fields, file?: CodeFile): string {
  const text = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return `'${text.replaceAll(fileMark, `'"$(base64 -w0 ${shellName(file)})"'`)}'`
}

/** An object literal for JavaScript, with additional fields whose values are expressions. */
export function inJavaScript(
  body: Fields,
  file?: CodeFile,
  expressions: Readonly<Record<string, string>> = {},
): string {
  const text = JSON.stringify(body, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(
      new RegExp(`"([^"]*)${fileMark}"`, 'g'),
      (_, before: string) => `\`${before}\${readFileSync(${quotedName(file)}, 'base64')}\``,
    )
  const further = Object.entries(expressions).map(([name, value]) => `  ${name}: ${value},\n`)
  return text.replace(/^\{\n/, `{\n${further.join('')}`)
}

/** The fields of an object as keyword arguments of a Python call, each starting on its own line. */
export function inPython(body: Fields, file?: CodeFile): string {
  return Object.entries(body)
    .map(([name, value]) => `    ${name}=${python(value, 1, file)},`)
    .join('\n')
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
    const entries = Object.entries(value)
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

function quotedName(file: CodeFile | undefined): string {
  return JSON.stringify(file?.name ?? 'file')
}

function shellName(file: CodeFile | undefined): string {
  return `'${(file?.name ?? 'file').replaceAll("'", `'\\''`)}'`
}
