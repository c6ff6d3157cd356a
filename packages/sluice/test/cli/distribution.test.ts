import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type ServerProcess,
  startServer,
} from '../../../../test/support/gateways/server-process.ts'
import {
  isRegistryReachable,
  leaveOutInstallation,
  nodeFolder,
  npmEnvironment,
  quiet,
  root,
  runProgram,
} from '../../../../test/support/npm.ts'

/** The package as users get it: packed, installed beside nothing of this repository, on every Node that is alive. */

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
}
const soon = { timeout: 15_000, interval: 50 }
const installMs = 240_000
/** What is downloaded at an installation, without the packages that it depends on. */
const packageBytesMax = 8e6

let folder: string
let tarball: string
let isReachable = false

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-installed-'))
  isReachable = await isRegistryReachable()
  const args = ['pack', '--silent', '--pack-destination', folder]
  await runProgram('npm', args, { folder: root, env: npmEnvironment() })
  tarball = join(folder, `sluice-${version}.tgz`)
}, installMs)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A new folder with nothing in it. */
function emptyFolder(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

test('an installation is told of no script of the package', async () => {
  const args = ['-xOzf', tarball, 'package/package.json']
  const text = await runProgram('tar', args, { folder, env: npmEnvironment() })
  const { scripts } = JSON.parse(text) as { readonly scripts: object }
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(scripts).not.toHaveProperty(name)
})

test('the package contains the bundle and notices, and no sources or tests', async () => {
  const list = await runProgram('tar', ['-tzf', tarball], { folder, env: npmEnvironment() })
  const files = list.split('\n').filter((file) => file !== '')
  expect(files).toEqual(
    expect.arrayContaining([
      'package/LICENSE',
      'package/README.md',
      'package/CHANGELOG.md',
      'package/package.json',
      'package/sluice.schema.json',
      'package/apply.schema.json',
      'package/bin/sluice.cjs',
      'package/dist/sluice.js',
      'package/dist/THIRD-PARTY-LICENSES.txt',
      'package/dist/sbom.cdx.json',
      'package/dist/migrations/001-initial.sql',
      'package/dist/console/index.html',
    ]),
  )
  const others = files.filter(
    (file) =>
      !/^package\/(?:dist\/[^.][^/]*(?:\/\d[^/]*\.sql)?|dist\/console\/(?:assets\/)?[^/]+\.(?:html|css|js|svg|txt)(?:\.br|\.gz)?|bin\/sluice\.cjs|[^/]+)$/.test(
        file,
      ),
  )
  expect(others).toEqual([])
  expect(files.filter((file) => file.endsWith('.ts'))).toEqual([])
  const { size } = statSync(tarball)
  console.info(`The package weighs ${(size / 1e6).toFixed(1)} MB in ${files.length} files`)
  expect(size).toBeLessThan(packageBytesMax)
})

test('packing a workspace is rejected', async () => {
  const args = ['pack', '--workspace', 'packages/sluice', '--pack-destination', folder]
  const packed = runProgram('npm', args, { folder: root, env: npmEnvironment() })
  await expect(packed).rejects.toThrow('Only the root of the repository is packed')
})

test(
  'reports the required version on an old Node',
  async (context) => {
    if (!isReachable) return leaveOutInstallation(context)
    const bare = emptyFolder('bare')
    copyFileSync(join(root, 'bin/sluice.cjs'), join(bare, 'sluice.cjs'))
    const node = join(await nodeFolder('20.20.2'), 'node')
    const started = runProgram(node, ['sluice.cjs'], { folder: bare, env: npmEnvironment() })
    await expect(started).rejects.toThrow(
      /Sluice needs Node 24 or newer, and this is Node 20\.20\.2\. None comes with it for \w+ on \w+\.\nInstall Node 24/,
    )
  },
  installMs,
)

/** A provider that the user has installed: it says which Node it runs on. */
const providerPackage = `
export const createAcme = () => ({
  languageModel: () => ({
    specificationVersion: 'v4',
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'Node ' + process.version }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    }),
  }),
})
`

/** A project of the user's: a settings file, and a provider package beside it. */
function userProject(name: string): string {
  const project = emptyFolder(name)
  const acme = join(project, 'node_modules/@ai-sdk/acme')
  mkdirSync(acme, { recursive: true })
  writeFileSync(
    join(acme, 'package.json'),
    JSON.stringify({ name: '@ai-sdk/acme', version: '1.0.0', exports: './index.mjs' }),
  )
  writeFileSync(join(acme, 'index.mjs'), providerPackage)
  writeFileSync(
    join(project, 'sluice.yaml'),
    'providers: { acme: { type: ai-sdk, package: "@ai-sdk/acme" } }\nbuiltin: { enabled: always }\n',
  )
  return project
}

async function chat(server: ServerProcess, model: string): Promise<string> {
  const messages = [{ role: 'user', content: 'What is 6 times 7?' }]
  const answer = await server.post('/v1/chat/completions', { model, messages })
  const { choices } = (await answer.json()) as {
    readonly choices: readonly { readonly message: { readonly content: string } }[]
  }
  return choices[0]?.message.content ?? ''
}

/** One call for each kind of thing that a bundle may have lost: chunks, workers, native parts, files. */
async function expectWhole(server: ServerProcess): Promise<void> {
  expect(await chat(server, 'builtin-chat')).toMatch(/42|forty-two/i)
  expect(await chat(server, 'acme/any')).toMatch(/^Node v2[4-9]\./)
  const picture = { model: 'dall-e-2', prompt: 'A red circle', size: '256x256' }
  expect((await server.post('/v1/images/generations', picture)).status).toBe(200)
  const speech = { model: 'tts-1', input: 'The gate is open.' }
  const spoken = await server.post('/v1/audio/speech', speech)
  expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(5000)
  const form = new FormData()
  const sound = readFileSync(join(root, 'test/fixtures/audio/tone.mp3'))
  form.set('file', new File([sound], 'tone.mp3'))
  form.set('model', 'whisper-1')
  const headers = { authorization: 'Bearer key' }
  const transcribed = await fetch(`${server.address}/v1/audio/transcriptions`, {
    method: 'POST',
    headers,
    body: form,
  })
  expect(transcribed.status).toBe(200)
  for (const [name, status] of [
    ['tone.webm', 200],
    ['tone.ogg', 200],
    ['tone.flac', 200],
    // Their decoder is under the GPL, and not part of the package.
    ['tone.m4a', 400],
    ['tone.aac', 400],
  ] as const) {
    const other = new FormData()
    const bytes = readFileSync(join(root, 'test/fixtures/audio', name))
    other.set('file', new File([bytes], name))
    other.set('model', 'whisper-1')
    const answer = await fetch(`${server.address}/v1/audio/transcriptions`, {
      method: 'POST',
      headers,
      body: other,
    })
    const text = await answer.text()
    expect([name, answer.status, text]).toEqual([name, status, expect.any(String)])
    if (status === 400) expect(text).toContain('npm install @audio/decode-aac')
  }
  for (const path of ['/docs/swagger-ui-bundle.js', '/sluice.schema.json', '/openapi.json'])
    expect((await fetch(server.address + path)).status, path).toBe(200)
}

describe.each(['20.20.2', '22.23.3', '24.21.0'])('on Node %s', (nodeVersion) => {
  const prefix = () => join(folder, `prefix-${nodeVersion}`)
  const program = () => join(prefix(), 'bin/sluice')
  const environment = async () => npmEnvironment(await nodeFolder(nodeVersion))

  test(
    'installs globally, serves everything and shuts down cleanly',
    async (context) => {
      if (!isReachable) return leaveOutInstallation(context)
      const env = await environment()
      const args = ['install', '--global', '--prefix', prefix(), ...quiet, tarball]
      await runProgram('npm', args, { folder: emptyFolder(`from-${nodeVersion}`), env })
      const project = userProject(`project-${nodeVersion}`)
      const shown = await runProgram(program(), ['--version'], { folder: project, env })
      expect(shown).toBe(`${version}\n`)

      await using server = await startServer(program(), ['serve'], { folder: project, env })
      await expectWhole(server)
      server.child.kill('SIGTERM')
      expect(await server.ended).toEqual({ code: 0, signal: null })
      expect(server.output()).toContain('"msg":"stopping"')
      expect(await server.isPortFree()).toBe(true)
    },
    installMs,
  )

  test('a gateway ends when its launcher is killed', async (context) => {
    if (!isReachable) return leaveOutInstallation(context)
    const project = userProject(`killed-${nodeVersion}`)
    const env = await environment()
    await using server = await startServer(program(), ['serve'], { folder: project, env })
    server.child.kill('SIGKILL')
    await vi.waitFor(async () => expect(await server.isPortFree()).toBe(true), soon)
  })
})

test(
  'npx runs the package in an empty folder and forwards signals',
  async (context) => {
    if (!isReachable) return leaveOutInstallation(context)
    // npx keeps what it installed in the cache: in one that goes with this test.
    const node = npmEnvironment(await nodeFolder('20.20.2'))
    const env = { ...node, npm_config_cache: join(folder, 'cache') }
    const project = emptyFolder('npx')
    const shown = await runProgram('npx', ['--yes', `file:${tarball}`, '--version'], {
      folder: project,
      env,
    })
    expect(shown).toBe(`${version}\n`)
    await using server = await startServer('npx', ['--yes', `file:${tarball}`], {
      folder: project,
      env,
    })
    expect(await chat(server, 'gpt-4o')).toMatch(/42|forty-two/i)
    server.child.kill('SIGTERM')
    await vi.waitFor(async () => expect(await server.isPortFree()).toBe(true), soon)
  },
  installMs,
)
