// What build/ promises: files that the code names by place come along, nothing is bundled that may not be, and a bundle
// that is older than its sources is known as such.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Bundle, createBundle } from '../build/bundle.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

/** A project of a few files, in the layout of this one. */
function project(files: Readonly<Record<string, string>>): string {
  const all = { 'package.json': '{"type":"module","dependencies":{"outside":"1.0.0"}}', ...files }
  for (const [name, text] of Object.entries(all)) {
    const file = join(folder.path, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return folder.path
}

const entry = 'packages/sluice/src/cli/main.ts'

/** Runs the bundle away from its sources, and returns what it prints. */
function run({ files }: Bundle): string {
  rmSync(join(folder.path, 'packages'), { recursive: true })
  for (const [name, content] of files) {
    const file = join(folder.path, 'dist', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return execFileSync(process.execPath, [join(folder.path, 'dist/sluice.js')], { encoding: 'utf8' })
}

describe('a bundle', () => {
  test('contains workers, folders, and files of packages and of the root', async () => {
    const root = project({
      'notes.txt': 'root',
      'node_modules/acme/package.json': '{"name":"acme","version":"1.0.0","license":"MIT"}',
      'node_modules/acme/LICENSE': 'Copyright Acme',
      'node_modules/acme/page.css': 'package',
      'node_modules/acme/index.js': 'module.exports = { word: "library …" }',
      'packages/sluice/src/sql/001.sql': 'folder',
      'packages/sluice/src/worker.ts':
        "import { parentPort } from 'node:worker_threads'\nparentPort?.postMessage('worker' as string)\n",
      [entry]: `
        import { readFileSync } from 'node:fs'
        import { STATUS_CODES } from 'node:http'
        import { Worker } from 'node:worker_threads'
        import acme from 'acme'
        const folder = new URL('../sql/', import.meta.url)
        const read = (url: URL | string) => readFileSync(new URL(url), 'utf8')
        new Worker(new URL('../worker.ts', import.meta.url)).on('message', (text: string) =>
          console.log(
            [
              text,
              read(new URL('001.sql', folder)),
              read(import.meta.resolve('acme/page.css')),
              read(new URL('../../../../notes.txt', import.meta.url)),
              acme.word,
              STATUS_CODES[404],
            ].join(),
          ),
        )
      `,
    })
    const bundle = await createBundle(root)
    expect(bundle.files.get('THIRD-PARTY-LICENSES.txt')).toContain('Copyright Acme')
    expect(bundle.inputs).toEqual(
      expect.arrayContaining([entry, 'notes.txt', 'packages/sluice/src/sql']),
    )
    expect(run(bundle)).toBe('worker,folder,package,root,library …,Not Found\n')
  })

  test('keeps the root’s dependencies external', async () => {
    const root = project({
      'node_modules/outside/package.json': '{"name":"outside","license":"GPL-2.0"}',
      'node_modules/outside/index.js': 'module.exports = "from outside"',
      [entry]: "import text from 'outside'\nconsole.log(text)\n",
    })
    expect(run(await createBundle(root))).toBe('from outside\n')
  })

  test('rejects a library whose license forbids bundling', async () => {
    const root = project({
      'node_modules/strict/package.json':
        '{"name":"strict","version":"1.0.0","license":"GPL-2.0","exports":"./index.js"}',
      'node_modules/strict/index.js': 'module.exports = 1',
      [entry]: "import one from 'strict'\nconsole.log(one)\n",
    })
    await expect(createBundle(root)).rejects.toThrow(
      'strict is under GPL-2.0 and may not be bundled',
    )
  })

  test.each([
    'new URL(process.argv[2] ?? "", import.meta.url)',
    'import.meta.dirname',
    "createRequire(import.meta.url)('acme')",
  ])('rejects %s, which a bundle cannot resolve', async (expression) => {
    const root = project({
      [entry]: `import { createRequire } from 'node:module'\nconsole.log(createRequire, ${expression})\n`,
    })
    await expect(createBundle(root)).rejects.toThrow('in a form that a bundle cannot keep')
  })
})

test('external dependencies have the versions that the workspaces use', () => {
  const read = (folder: string) =>
    JSON.parse(readFileSync(join(import.meta.dirname, '..', folder, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
  const used = ['contract', 'protocols', 'engine', 'sluice'].map(
    (name) => read(`packages/${name}`).dependencies,
  )
  for (const [name, version] of Object.entries(read('.').dependencies)) {
    const versions = used.flatMap((dependencies) => dependencies[name] ?? [])
    expect(new Set(versions), name).toEqual(new Set([version]))
  }
})

describe('a checkout detects whether its bundle is fresh:', () => {
  function isFresh(): boolean {
    const checkout = createRequire(import.meta.url)(join(folder.path, 'build/checkout.cjs')) as {
      readonly isFresh: () => boolean
    }
    return checkout.isFresh()
  }

  beforeEach(() => {
    project({ 'a.ts': 'a' })
    mkdirSync(join(folder.path, 'build'))
    mkdirSync(join(folder.path, 'dist'))
    copyFileSync(
      join(import.meta.dirname, '../build/checkout.cjs'),
      join(folder.path, 'build/checkout.cjs'),
    )
    const { size, mtimeMs } = statSync(join(folder.path, 'a.ts'))
    writeFileSync(
      join(folder.path, 'dist/.stamp.json'),
      JSON.stringify({ inputs: [['a.ts', size, mtimeMs]] }),
    )
    writeFileSync(join(folder.path, 'dist/.console-stamp.json'), '{"inputs":[]}')
  })

  test.each<[string, boolean, (file: string) => void]>([
    ['nothing changed', true, () => {}],
    ['a file grew', false, (file) => writeFileSync(file, 'ab')],
    ['a file was written again', false, (file) => utimesSync(file, 1, 1)],
    ['a file is gone', false, (file) => rmSync(file)],
    ['there is no console', false, () => rmSync(join(folder.path, 'dist/.console-stamp.json'))],
    ['there is no bundle', false, () => rmSync(join(folder.path, 'dist'), { recursive: true })],
  ])('%s: %s', (_what, expected, change) => {
    change(join(folder.path, 'a.ts'))
    expect(isFresh()).toBe(expected)
  })
})
