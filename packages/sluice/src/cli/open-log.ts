import { openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import sonicBoom from 'sonic-boom'
import type { Config } from '../config/config.ts'
import type { Log } from '../gateway/gateway.ts'
import { makeFolder } from '../storage/make-folder.ts'
import { CommandError } from './command-error.ts'

export interface OpenLog extends Log, Disposable {
  /** Writes lines that another process has made, each with its end. */
  forward(lines: string): void
  /** Nobody reads standard output any more; a file is written further. */
  unread(): void
}

/** Lines wait for each other this long: one write for many of them costs a busy gateway less. */
const gatherMs = 100
const gatherCharacters = 32 * 1024
/** What a disk that is stuck may keep waiting; lines beyond it are lost. */
const waitingBytesMax = 64 * 1024 * 1024

/** From the one that says most to the one that says nothing. */
const levels: readonly Config['log']['level'][] = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
]

/** The log, one JSON object a line, each with what is `always` to be said. Disposing writes what still waits. */
export function openLog({ level: least, file }: Config['log'], always: object = {}): OpenLog {
  const { fd, destination } = openDestination(file)
  const now = createTimestamp()
  let lines: string[] = []
  let size = 0
  let timer: NodeJS.Timeout | undefined
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    const text = lines.join('')
    lines = []
    size = 0
    // It may have been closed: its other end has gone, and nobody is left to read it.
    if (text !== '') attempt(() => destination.write(text))
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = lines.join('')
    lines = []
    attempt(() => destination.flushSync())
    // Nothing that is only begun now would still be done when the process exits.
    if (text !== '') attempt(() => writeSync(fd, text))
  }
  // Once nobody reads, flushing would try again for ever.
  const unread = () => attempt(() => destination.destroy())
  destination.on('error', (error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') unread()
  })
  process.once('exit', flush)
  const add = (text: string) => {
    lines.push(text)
    size += text.length
    if (size >= gatherCharacters) write()
    else timer ??= setTimeout(write, gatherMs).unref()
  }
  const said = JSON.stringify(always).slice(1, -1)
  const common = said === '' ? '' : `${said},`
  const at = (name: keyof Log): Log['info'] => {
    if (levels.indexOf(name) < levels.indexOf(least)) return () => {}
    const begin = `{"level":"${name}","time":"`
    return (fields, message) => {
      const own = JSON.stringify(fields).slice(1, -1)
      add(
        `${begin}${now()}",${common}${own === '' ? '' : `${own},`}"msg":${JSON.stringify(message)}}\n`,
      )
    }
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    forward: add,
    unread() {
      if (file === undefined) unread()
    },
    [Symbol.dispose]: flush,
  }
}

function attempt(step: () => unknown): void {
  try {
    step()
  } catch {
    // A log that cannot be written stops nothing else.
  }
}

/** The time of a line; all of it but the milliseconds is made once for all lines of a second. */
function createTimestamp(): () => string {
  let last = NaN
  let upToSecond = ''
  return () => {
    const now = Date.now()
    const second = Math.floor(now / 1_000)
    if (second !== last) upToSecond = new Date(second * 1_000).toISOString().slice(0, -4)
    last = second
    return `${upToSecond}${String(now % 1_000).padStart(3, '0')}Z`
  }
}

function openDestination(file: string | undefined) {
  try {
    const fd = file === undefined ? 1 : openFile(file)
    const destination = new sonicBoom.SonicBoom({
      fd,
      sync: false,
      maxLength: waitingBytesMax,
    })
    return { fd, destination }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`The log ${file ?? 'on standard output'} cannot be written: ${reason}`, {
      cause,
    })
  }
}

/** At once: a log that cannot be written stops the start, and lines can be flushed from the first moment. */
function openFile(file: string): number {
  makeFolder(dirname(file))
  return openSync(file, 'a')
}
