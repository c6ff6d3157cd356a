import type { Fields } from './fields.ts'

/** A file that was chosen, which a program reads by its name. */
export interface CodeFile {
  readonly name: string
  readonly type: string
}

/** Stands in a request where the bytes of a file go, as base64. */
export const fileMark = '\u{F8FF}file\u{F8FF}'

/** A body for the shell, in single quotes; a file is read where it stands. */
export function inCurl(body: Fields, file?: CodeFile): string {
  const text = JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)
  return `'${text.replaceAll(fileMark, `'"$(base64 -w0 ${shellName(file)})"'`)}'`
}

/** An object for JavaScript, with expressions beside its values. */
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

/** The fields of an object as the arguments of a call in Python, each on lines of its own. */
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
