import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../../../..')

/** A document that was written for a client, the type that reads it, and where it was seen. */
export interface Typed {
  readonly type: string
  readonly name: string
  readonly document: unknown
}

/** The types, by name, and the file in this folder that exports each. */
const files: Readonly<Record<string, string>> = {
  ChatAnswer: 'chat.ts',
  ChatEvent: 'chat.ts',
  LangChainAnswer: 'chat.ts',
  MessageAnswer: 'others.ts',
  MessageEvent: 'others.ts',
  ResponseAnswer: 'others.ts',
  ResponseEvent: 'others.ts',
  ContentAnswer: 'others.ts',
  ContentEvent: 'others.ts',
}

/**
 * Compiles the documents as literals of their types, in one run of the compiler: for literals it also reports members that a
 * type does not have. Returns one line per error, with the name of the document.
 */
export async function typeErrors(documents: readonly Typed[]): Promise<readonly string[]> {
  const unique = [
    ...new Map(documents.map((one) => [one.type + JSON.stringify(one.document), one])).values(),
  ]
  const imports = Object.entries(files).map(
    ([type, file]) =>
      `import type { ${type} } from ${JSON.stringify(join(import.meta.dirname, file))}`,
  )
  const lines = unique.map(
    ({ type, document }, index) => `export const d${index}: ${type} = ${JSON.stringify(document)}`,
  )
  // The lines of one error belong together; the last says most.
  const errors = (await compiled([...imports, ...lines, ''].join('\n'))).split(/\n(?! |$)/)
  return errors.flatMap((text) => {
    const [, at, first = ''] = /source\.ts\((\d+),\d+\): (.*)/.exec(text) ?? []
    if (at === undefined) return text.trim() === '' ? [] : [text]
    const error = text.trimEnd().split('\n').slice(1).at(-1)?.trim() ?? first
    const one = unique[Number(at) - 1 - imports.length]
    return [`${one?.name} as ${one?.type}: ${error}`]
  })
}

/** What the compiler prints of a source, which imports by absolute paths. */
export async function compiled(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-types-'))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = { strict: true, noEmit: true, skipLibCheck: true, lib: ['esnext', 'dom'] }
  const modules = { module: 'nodenext', target: 'esnext', allowImportingTsExtensions: true }
  const compilerOptions = { ...options, ...modules, types: [] }
  try {
    await writeFile(join(folder, 'source.ts'), source)
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    )
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await promisify(execFile)(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
      maxBuffer: 64 * 1024 * 1024,
    })
    return ''
  } catch (thrown) {
    const { stdout } = thrown as { readonly stdout?: string }
    if (!stdout) throw thrown
    return stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}
