import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type OutputAsset, type OutputChunk, rolldown } from 'rolldown'
import { filesBesideCode } from './files-beside-code.ts'
import { formatLicences } from './licences.ts'
import { smallStart } from './small-start.ts'

export interface Bundle {
  /** What belongs into dist/, by name. */
  readonly files: ReadonlyMap<string, string | Uint8Array>
  /** Every file of this project that was read, relative to the root, and what stands for the installed packages. */
  readonly inputs: readonly string[]
}

/** One readable line per statement is kept, with its names: stacks in a log are read by people. */
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const

/**
 * Bundles the command line: our packages and every library, except those that are in `dependencies` of the root's
 * package.json. Whatever the sources import dynamically, and each worker, becomes a chunk of its own.
 *
 * @throws Error when a file cannot be bundled, or when a library's license forbids to publish it like this.
 */
export async function createBundle(root: string): Promise<Bundle> {
  const read = new Set(standingInputs)
  const external = externalPackages(root)
  await using build = await rolldown({
    cwd: root,
    input: { sluice: join(root, 'packages/sluice/src/cli/main.ts') },
    platform: 'node',
    tsconfig: false,
    external,
    plugins: [
      filesBesideCode(root, external, (path) => read.add(relativeTo(root, path))),
      smallStart(),
      {
        name: 'inputs',
        generateBundle() {
          for (const id of this.getModuleIds())
            if (!id.includes('node_modules') && id.startsWith(root)) read.add(relativeTo(root, id))
        },
      },
    ],
    onLog(level, log, report) {
      // A library offers what it does not install: the same that happens without a bundle happens here.
      if (log.code !== 'UNRESOLVED_IMPORT' || !/node_modules/.test(log.message)) report(level, log)
    },
  })
  const { output } = await build.generate({
    format: 'esm',
    minify,
    entryFileNames: ({ name }) => (name === 'sluice' ? 'sluice.js' : '[name]-[hash].js'),
    chunkFileNames: '[name]-[hash].js',
  })
  const files = new Map(output.map((file) => [file.fileName, contentOf(file)]))
  files.set('THIRD-PARTY-LICENSES.txt', formatLicences(output.flatMap(sourcesOf)))
  return { files, inputs: [...read].toSorted() }
}

/** npm rewrites the hidden lockfile whenever it changes node_modules. */
const standingInputs = [
  'package.json',
  'node_modules/.package-lock.json',
  'build/build.ts',
  'build/bundle.ts',
  'build/files-beside-code.ts',
  'build/licences.ts',
  'build/small-start.ts',
]

/**
 * Decoders of sound: those of `dependencies`, and those that only a user may install, because their license is not permissive.
 * The two that read containers are bundled: they depend on all others, and load one when a file needs it.
 */
const decoders = /^@audio\/decode-(?!(?:mp4|webm)(?:\/|$))/

function externalPackages(root: string): RegExp[] {
  const content: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { dependencies } = content as { readonly dependencies: Readonly<Record<string, string>> }
  const named = Object.keys(dependencies).map(
    (name) => new RegExp(`^${RegExp.escape(name)}(?:/|$)`),
  )
  return [...named, decoders]
}

function contentOf(file: OutputChunk | OutputAsset): string | Uint8Array {
  return file.type === 'chunk' ? inAscii(file.code) : file.source
}

/**
 * V8 keeps a text of plain ASCII in half the memory and reads it faster, and one ellipsis in two megabytes is enough to
 * lose that. An escape means the character itself everywhere but in raw templates.
 */
function inAscii(code: string): string {
  if (code.includes('String.raw')) return code
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function sourcesOf(file: OutputChunk | OutputAsset): readonly string[] {
  return file.type === 'chunk' ? file.moduleIds : file.originalFileNames
}

function relativeTo(root: string, path: string): string {
  return relative(root, path).replaceAll(sep, '/')
}
