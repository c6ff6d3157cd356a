import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, type Rolldown } from 'vite'
import type { Bundle } from './bundle.ts'
import { formatLicences } from './licences.ts'

/** Smaller files are not sent in fewer packets when they are compressed. */
const compressedBytesMin = 1_000

/**
 * Builds the console: its page, and scripts and styles whose names hold the hash of what is in them. Each is there as it is and,
 * where that is smaller, compressed ahead (`.br`, `.gz`). The names in `files` begin with `console/`.
 *
 * @throws Error when it cannot be built, or when a library's license forbids to publish it like this.
 */
export async function createConsole(root: string): Promise<Bundle> {
  const folder = join(root, 'packages/console')
  // Whoever asks for the build, such as a test: React has another build for what is no production.
  process.env['NODE_ENV'] = 'production'
  const built = (await build({
    root: folder,
    configFile: false,
    envDir: false,
    base: './',
    publicDir: false,
    logLevel: 'warn',
    plugins: [react()],
    css: { modules: { generateScopedName: '[name]-[local]-[hash:base64:5]' } },
    build: {
      write: false,
      target: 'es2023',
      assetsInlineLimit: 0,
      // Scripts in the page are forbidden to it.
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { output: { assetFileNames: 'assets/[name]-[hash][extname]' } },
    },
  })) as Rolldown.RolldownOutput
  const files = new Map<string, string | Uint8Array>()
  for (const file of built.output) {
    const content = Buffer.from(file.type === 'chunk' ? file.code : file.source)
    for (const [ending, bytes] of [['', content], ...compressed(content)] as const)
      files.set(`console/${file.fileName}${ending}`, bytes)
  }
  const sources = built.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  files.set('console/THIRD-PARTY-LICENSES.txt', formatLicences(sources))
  return { files, inputs: [...standingInputs, ...filesIn(root, folder)].toSorted() }
}

const standingInputs = [
  'node_modules/.package-lock.json',
  'build/build.ts',
  'build/console.ts',
  'build/licences.ts',
]

function compressed(content: Buffer): readonly (readonly [ending: string, bytes: Buffer])[] {
  if (content.length < compressedBytesMin) return []
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  const all = [
    ['.br', brotliCompressSync(content, { params })],
    ['.gz', gzipSync(content, { level: 9 })],
  ] as const
  return all.filter(([, bytes]) => bytes.length < content.length)
}

/** Folders too: a file that comes changes the time of its folder. */
function filesIn(root: string, folder: string): readonly string[] {
  const source = join(folder, 'src')
  return [
    join(folder, 'index.html'),
    source,
    ...readdirSync(source, { recursive: true, encoding: 'utf8' }).map((name) => join(source, name)),
  ].map((path) => relative(root, path).replaceAll(sep, '/'))
}
