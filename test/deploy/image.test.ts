// The steps of the Dockerfile, run in empty folders, and what comes of them run as in a container: as process 1 of its own
// namespace, with no root but the image's, which is read-only, and as a user without rights.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, describe, expect, test, type TestContext, vi } from 'vitest'
import {
  isRegistryReachable,
  leaveOutInstallation,
  nodeFolder,
  npmEnvironment,
  root,
} from '../support/npm.ts'
import { runDockerfile, type Stage } from './run-dockerfile.ts'

const dockerfile = join(root, 'Dockerfile')
const buildMs = 900_000
const soon = { timeout: 60_000, interval: 100 }
/** What the image may weigh, and what its base does: distroless/cc-debian12 unpacked, rounded up. */
const imageBytesMax = 250e6
const baseBytes = 35e6

test('the Dockerfile passes a linter', () => {
  expect(validate(readFileSync(dockerfile, 'utf8'))).toEqual([])
})

let folder: string
let image: Stage | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-image-'))
  if (!(await isRegistryReachable())) return
  const node = await nodeFolder('24.21.0')
  image = await runDockerfile(dockerfile, {
    folder,
    begin(stage) {
      mkdirSync(join(stage, 'usr/local/bin'), { recursive: true })
      copyFileSync(join(node, 'node'), join(stage, 'usr/local/bin/node'))
    },
    env: { ...npmEnvironment(node), npm_config_prefer_offline: 'true' },
  })
}, buildMs)

afterAll(() => rmSync(folder, { recursive: true, force: true }), buildMs)

test('the image is below 250 MB without development packages or a second Node', (context) => {
  if (!image) return leaveOutInstallation(context)
  const sizes = ['usr/local/bin/node', 'app/dist', 'app/node_modules'].map(
    (part) => [part, bytesOf(join(image?.folder ?? '', part))] as const,
  )
  console.info(sizes.map(([part, bytes]) => `${part} ${(bytes / 1e6).toFixed(1)} MB`).join(', '))
  expect(bytesOf(image.folder) + baseBytes).toBeLessThan(imageBytesMax)
  const packages = readdirSync(join(image.folder, 'app/node_modules'))
  expect(packages).toContain('sharp')
  expect(packages.filter((name) => /^node-|^typescript$|^vitest$|^rolldown$/.test(name))).toEqual(
    [],
  )
  expect(readdirSync(join(image.folder, 'app')).toSorted()).toEqual(
    [
      'CHANGELOG.md',
      'LICENSE',
      'apply.schema.json',
      'bin',
      'dist',
      'node_modules',
      'package.json',
      'sluice.schema.json',
    ].toSorted(),
  )
})

/** What of the C library and of C++ the base image has. */
const libraries = [
  'libc.so.6',
  'libm.so.6',
  'libdl.so.2',
  'libpthread.so.0',
  'librt.so.1',
  'libresolv.so.2',
  'libnss_files.so.2',
  'libnss_dns.so.2',
  'libgcc_s.so.1',
  'libstdc++.so.6',
]
const libraryFolder = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
const loader =
  process.arch === 'arm64' ? '/lib/ld-linux-aarch64.so.1' : '/lib64/ld-linux-x86-64.so.2'

/** Puts the libraries in place of the base image, and folders where the system mounts something. */
function addBase(to: string): void {
  const folders = [`/lib/${libraryFolder}`, `/usr/lib/${libraryFolder}`]
  for (const name of libraries) {
    const found = folders.map((at) => join(at, name)).find((file) => existsSync(file))
    if (found !== undefined) place(found, join(to, 'lib', libraryFolder, name))
  }
  place(loader, join(to, loader))
  mkdirSync(join(to, 'etc'), { recursive: true })
  writeFileSync(
    join(to, 'etc/passwd'),
    'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
  )
  for (const name of ['proc', 'dev', 'tmp']) mkdirSync(join(to, name), { recursive: true })
  for (const device of ['null', 'urandom', 'zero']) writeFileSync(join(to, 'dev', device), '')
}

function place(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
  chmodSync(to, 0o755)
}

function bytesOf(path: string): number {
  return Number(execFileSync('du', ['-sb', path], { encoding: 'utf8' }).split('\t')[0])
}

const unshare = ['--pid', '--fork', '--mount', '--propagation', 'private']

interface Container extends AsyncDisposable {
  readonly url: string
  readonly output: () => string
  readonly ended: Promise<number | null>
  /** The number outside of its namespace. */
  readonly firstPid: number
  readonly gatewayPid: number
}

/** Starts the image, with no more of /proc than the systemd unit lets it see. With `init` its process 1 is another program, which hands SIGTERM on and waits for its children. */
async function startContainer(
  stage: Stage,
  { init }: { readonly init: boolean },
): Promise<Container> {
  const data = mkdtempSync(join(folder, 'data-'))
  chownSync(data, 65532, 65532)
  const env = { ...stage.env, SLUICE_PORT: '0', SLUICE_API_KEYS: 'sk-test0123456789abcdef' }
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const gateway = [...variables, 'chroot', `--userspec=${stage.user}`, stage.folder]
  const command = [...gateway, ...stage.entrypoint, ...stage.command]
  const run = init
    ? `env -i PATH="$PATH" "$@" & child=$!; trap 'kill -TERM $child' TERM; wait || true; wait $child`
    : 'exec env -i PATH="$PATH" "$@"'
  const script = `set -e
    cd '${stage.folder}'
    mount --bind . .
    cd '${stage.folder}'
    for device in null urandom zero; do mount --bind /dev/$device dev/$device; done
    mount -t proc -o subset=pid proc proc
    mount -t tmpfs tmpfs tmp
    mount --bind '${data}' data
    mount -o remount,bind,ro .
    ${run}`
  const child = spawn('unshare', [...unshare, 'sh', '-c', script, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      output += piece.toString()
    })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const url = await vi.waitFor(() => {
    expect(child.exitCode, output).toBeNull()
    const [, found] = /listens on (http:\S+?)["\s]/.exec(output) ?? []
    expect(found, output).toBeDefined()
    return found ?? ''
  }, soon)
  const firstPid = childrenOf(child)[0] ?? 0
  return {
    url: url.replace('0.0.0.0', '127.0.0.1'),
    output: () => output,
    ended,
    firstPid,
    gatewayPid: init ? (childrenOf({ pid: firstPid })[0] ?? 0) : firstPid,
    async [Symbol.asyncDispose]() {
      // With process 1 everything in its namespace ends.
      if (child.exitCode === null) process.kill(firstPid, 'SIGKILL')
      await ended
    },
  }
}

function childrenOf({ pid = 0 }: Pick<ChildProcess, 'pid'>): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number)
}

/** Of the process and of all below it. */
function statesBelow(pid: number): readonly string[] {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const state = /^State:\s+(\w)/m.exec(status)?.[1] ?? ''
  return [state, ...childrenOf({ pid }).flatMap(statesBelow)]
}

function leaveOutNamespaces(context: TestContext): void {
  const reason = 'left out: namespaces and mounts of its own are not allowed here'
  console.warn(`${context.task.name}: ${reason}`)
  context.skip(reason)
}

const mayUnshare =
  spawnSync('unshare', [...unshare, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

describe.each([
  { name: 'as process 1', init: false },
  { name: 'below an init', init: true },
])('the container $name', ({ init }) => {
  test('answers, writes only its data, reaps processes and stops on SIGTERM', async (context) => {
    if (!image) return leaveOutInstallation(context)
    if (!mayUnshare) return leaveOutNamespaces(context)
    if (!existsSync(join(image.folder, 'proc'))) addBase(image.folder)
    await using container = await startContainer(image, { init })
    const { url, gatewayPid } = container
    for (const path of ['/healthz', '/readyz', '/docs', '/sluice.schema.json'])
      expect((await fetch(url + path)).status, path).toBe(200)
    const status = readFileSync(`/proc/${gatewayPid}/status`, 'utf8')
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe('65532')
    expect(/^NSpid:.*\s(\d+)$/m.exec(status)?.[1] === '1').toBe(!init)

    // What the engine does in processes of its own, one of which is killed in the middle.
    const picture = { model: 'dall-e-2', prompt: 'A red circle', size: '256x256' }
    const draw = () =>
      fetch(`${url}/v1/images/generations`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer sk-test0123456789abcdef',
          'content-type': 'application/json',
        },
        body: JSON.stringify(picture),
      })
    expect((await draw()).status).toBe(200)
    for (const worker of childrenOf({ pid: gatewayPid })) process.kill(worker, 'SIGKILL')
    await vi.waitFor(() => expect(statesBelow(gatewayPid)).not.toContain('Z'), soon)
    await vi.waitFor(async () => expect((await draw()).status).toBe(200), soon)

    const [program = '', ...args] = image.health
    const healthOf = (port: string) =>
      spawnSync('chroot', [`--userspec=${image?.user}`, image?.folder ?? '', program, ...args], {
        env: { PATH: process.env['PATH'], SLUICE_PORT: port },
      }).status
    expect(healthOf(new URL(url).port)).toBe(0)
    expect(healthOf('1')).toBe(1)

    process.kill(container.firstPid, 'SIGTERM')
    expect(await container.ended, container.output()).toBe(0)
    expect(container.output()).toContain('"msg":"stopping"')
  }, 120_000)
})
