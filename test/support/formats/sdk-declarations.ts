// What the declarations of installed SDKs say, read as text.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const modules = join(import.meta.dirname, '../../../node_modules')

const texts = new Map<string, string>()

function declaration(file: string): string {
  const known = texts.get(file)
  if (known !== undefined) return known
  const text = readFileSync(join(modules, file), 'utf8').replaceAll('\r\n', '\n')
  texts.set(file, text)
  return text
}

/** The `type` of each member of a union of interfaces. */
export function kindsOf(file: string, union: string): readonly string[] {
  const text = declaration(file)
  const [, body = ''] = new RegExp(`^export type ${union} =\\n([^;]+);`, 'm').exec(text) ?? []
  const names = [...body.matchAll(/\| ([\w.]+)/g)].map(([, name = '']) => name.split('.').at(-1))
  return names.map((name = '') => {
    const kind = kindIn(text, name)
    if (kind === undefined) throw new Error(`${file} does not say what kind a ${name} is`)
    return kind
  })
}

/** Its own, or that of the interface it extends. */
function kindIn(text: string, name: string): string | undefined {
  const declared = new RegExp(
    `interface ${name} (?:extends (\\w+) )?\\{((?:(?!\\n *\\}\\n)[^])*)\\n *\\}\\n`,
  ).exec(text)
  const [, base, body = ''] = declared ?? []
  const [, kind] = /\n +type: '(\w+)'/.exec(body) ?? []
  return kind ?? (base === undefined ? undefined : kindIn(text, base))
}

/** The fields of an interface, and those of the interfaces in a namespace of its name: `details.cached_tokens`. */
export function fieldsOf(file: string, name: string): readonly string[] {
  return membersIn(declaration(file), name)
}

function membersIn(text: string, name: string): readonly string[] {
  const [, indent = '', body = ''] =
    new RegExp(
      `^( *)export (?:declare )?(?:interface|class) ${name}\\b[^{]*\\{\\n([^]*?)\\n\\1\\}`,
      'm',
    ).exec(text) ?? []
  const member = new RegExp(`^${indent}(?: {2}| {4})(\\w+)\\??: ([^;]+);`, 'gm')
  return [...body.matchAll(member)].flatMap(([, field = '', type = '']) => {
    const nested = /([A-Z]\w+)\s*(?:\[\])?(?: \| null)?$/.exec(type)?.[1]
    const inner = nested === undefined ? [] : membersIn(text, nested)
    return inner.length === 0 ? [field] : inner.map((one) => `${field}.${one}`)
  })
}
