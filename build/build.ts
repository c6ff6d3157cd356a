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
import { type Bundle, createBundle } from './bundle.ts'
import { isFresh, stampFile } from './checkout.cjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const onlyIfStale = process.argv.includes('--if-stale')

/** Chunks of earlier builds stay this long after a rebuild: a gateway that runs from them may still load some. */
const keptMs = 24 * 60 * 60 * 1000

mkdirSync(dist, { recursive: true })
{
  using _lock = await lock()
  if (!onlyIfStale || !isFresh()) {
    const bundle = await createBundle(root)
    const stamp = stampOf(bundle)
    for (const [name, content] of bundle.files) write(join(dist, name), content)
    removeOthers(bundle, onlyIfStale ? Date.now() - keptMs : Infinity)
    write(stampFile, stamp)
    const bytes = bundle.files.values().reduce((sum, content) => sum + content.length, 0)
    process.stdout.write(`dist: ${bundle.files.size} files, ${(bytes / 1e6).toFixed(1)} MB\n`)
  }
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

function removeOthers({ files }: Bundle, changedBefore: number): void {
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const file = join(dist, name)
    const { mtimeMs } = statSync(file)
    const isOurs = name.startsWith('.') || files.has(name.replaceAll('\\', '/'))
    if (!isOurs && statSync(file).isFile() && mtimeMs < changedBefore) rmSync(file)
  }
}
