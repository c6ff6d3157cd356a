// Makes dist/: `npm run build`. With --if-stale only where the sources have changed, as a start in a checkout asks.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Bundle } from './bundle.ts'
import { isFresh, stampFiles } from './checkout.cjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const onlyIfStale = process.argv.includes('--if-stale')

/** Chunks of earlier builds stay this long after a rebuild: a gateway that runs from them may still load some. */
const keptMs = 24 * 60 * 60 * 1000

/** What is built of its own inputs, and only when these have changed. */
interface Part {
  readonly stampFile: string
  /** In a process that builds nothing of a kind its tools are not needed. */
  readonly create: (root: string) => Promise<Bundle>
  /** Whether a file of dist/ is of this part, by its name. */
  readonly isPart: (name: string) => boolean
}

const isConsole = (name: string): boolean => name.startsWith('console/')

const parts: readonly Part[] = [
  {
    stampFile: stampFiles.program,
    create: async (folder) => (await import('./bundle.ts')).createBundle(folder),
    isPart: (name) => !isConsole(name),
  },
  {
    stampFile: stampFiles.console,
    create: async (folder) => (await import('./console.ts')).createConsole(folder),
    isPart: isConsole,
  },
]

mkdirSync(dist, { recursive: true })
{
  using _lock = await lock()
  const stale = parts.filter(({ stampFile }) => !onlyIfStale || !isFresh(stampFile))
  for (const part of stale) await make(part)
}

async function make({ stampFile, create, isPart }: Part): Promise<void> {
  const bundle = await create(root)
  const stamp = stampOf(bundle)
  for (const [name, content] of bundle.files) write(join(dist, name), content)
  removeOthers(bundle, isPart, onlyIfStale ? Date.now() - keptMs : Infinity)
  write(stampFile, stamp)
  const bytes = bundle.files.values().reduce((sum, content) => sum + content.length, 0)
  process.stdout.write(`dist: ${bundle.files.size} files, ${(bytes / 1e6).toFixed(1)} MB\n`)
}

/** One build at a time: whoever comes second waits, and finds that nothing is left to do. */
async function lock(): Promise<Disposable> {
  const file = join(dist, '.lock')
  while (!tryLock(file)) await new Promise((resolve) => setTimeout(resolve, 50))
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) }
}

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if (!isHeld(file)) rmSync(file, { force: true })
    return false
  }
}

/** Whether the process that holds the lock is alive. An empty file is one that is being written. */
function isHeld(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8')
    return text === '' || process.kill(Number(text), 0)
  } catch {
    return false
  }
}

function stampOf({ inputs }: Bundle): string {
  const entries = inputs.map((file) => {
    const { size, mtimeMs } = statSync(join(root, file))
    return [file, size, mtimeMs]
  })
  return JSON.stringify({ inputs: entries })
}

/** Never half a file: another process may be starting from it. */
function write(file: string, content: string | Uint8Array): void {
  if (existsSync(file) && readFileSync(file).equals(Buffer.from(content))) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, content)
  renameSync(`${file}.new`, file)
}

function removeOthers({ files }: Bundle, isPart: Part['isPart'], changedBefore: number): void {
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const file = join(dist, name)
    const { mtimeMs } = statSync(file)
    const plain = name.replaceAll('\\', '/')
    const stays = plain.startsWith('.') || !isPart(plain) || files.has(plain)
    if (stays || !statSync(file).isFile()) continue
    if (mtimeMs < changedBefore || isListed(plain)) rmSync(file)
  }
}

/** Read by looking into its folder: one that was renamed must not be found under both names. */
function isListed(name: string): boolean {
  return dirname(name) === 'migrations'
}
